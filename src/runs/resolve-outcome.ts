import type { LedgerKeys } from '../ledger/keys.ts';
import type { RowDecision } from '../ledger/resolve-entry.ts';
import type { RowResolved } from '../ledger/resolve-rows.ts';
import { createRunView } from '../ledger/run-view.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { describeDecision } from '../model/resolution.ts';
import type { Run } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';

/** What became of the decisions. */
export type Resolved = {
  readonly created: number;
  readonly notCreated: number;
  /** Decided so before. */
  readonly unchanged: number;
  /** Left alone, since nobody or nothing has decided. */
  readonly open: number;
  /** Of these, rows that nobody named: they are one record with a row that somebody did. */
  readonly mates: number;
  readonly refused: ReadonlyArray<{ readonly row: number; readonly why: string }>;
};

type Answered = {
  readonly decisions: readonly RowDecision[];
  readonly answers: readonly RowResolved[];
  readonly open: number;
  readonly mates: number;
};

/** Counts the answers, and says of refused rows what they are. */
export async function resolvedOf(
  run: Run,
  { decisions, answers, open, mates }: Answered,
  { redis, keys }: { readonly redis: RedisConnection; readonly keys: LedgerKeys },
): Promise<Resolved> {
  const counts = { created: 0, notCreated: 0, unchanged: 0 };
  decisions.forEach(({ decision }, i) => {
    const kind = answers[i]?.kind;
    if (kind === 'unchanged') counts.unchanged += 1;
    else if (kind === 'resolved') counts[decision.kind === 'created' ? 'created' : 'notCreated'] += 1;
  });
  const strange = new Set(answers.flatMap(({ row, kind }) => (kind === 'not-in-doubt' ? [row] : [])));
  const known = await settlementsOf(createRunView(redis, keys, run).settlements(), strange);
  const refused = answers.flatMap((answer) => {
    const why = refusal(answer, known);
    return why === null ? [] : [{ row: answer.row, why }];
  });
  return { ...counts, open, mates, refused };
}

function refusal(answer: RowResolved, known: ReadonlyMap<number, Settlement>): string | null {
  switch (answer.kind) {
    case 'resolved':
    case 'unchanged':
      return null;
    case 'otherwise': {
      const { decision, id, by, at } = answer.earlier;
      return `was resolved as ${describeDecision({ kind: decision, id })}, by ${by} at ${at}`;
    }
    case 'not-in-doubt':
      return stateOf(known.get(answer.row));
    default:
      return answer satisfies never;
  }
}

function stateOf(settlement: Settlement | undefined): string {
  if (settlement === undefined) return 'has no outcome, or the run has no such row';
  const { outcome, id } = settlement;
  return `is not in doubt, but ${outcome}${id === '' ? '' : `, id ${id}`}`;
}

async function settlementsOf(
  batches: AsyncIterable<readonly Settlement[]>,
  rows: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Settlement>> {
  const found = new Map<number, Settlement>();
  if (rows.size === 0) return found;
  for await (const batch of batches) for (const s of batch) if (rows.has(s.row)) found.set(s.row, s);
  return found;
}
