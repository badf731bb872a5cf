import type { RowDecision } from '../ledger/resolve-entry.ts';
import { UsageError } from '../lib/usage-error.ts';
import { wasAccepted } from '../model/outcome.ts';
import { type Decision, describeDecision } from '../model/resolution.ts';
import { createGroupCutter, type RowGroup } from '../model/row-group.ts';
import type { LedgerView, Settlement } from '../model/settlement.ts';

/** Decisions together with those of the rows that are one record with theirs. */
type WithMates = {
  /** In row order. */
  readonly decisions: readonly RowDecision[];
  /** The rows that were added. */
  readonly mates: readonly number[];
};

/**
 * Extends decisions to the rows in doubt that were one request with theirs, for a job that groups rows. A UsageError
 * lists every row that is decided otherwise than another row of its group is, or was before.
 */
export async function withMates(
  view: Pick<LedgerView, 'settlements'>,
  decisions: readonly RowDecision[],
): Promise<WithMates> {
  const decided = new Map(decisions.map(({ row, decision }) => [row, decision]));
  const problems: string[] = [];
  const added: RowDecision[] = [];
  for await (const group of groupsOf(view)) {
    const doubts = group.filter(({ outcome }) => outcome === 'in-doubt');
    const [first] = group.filter(({ row }) => decided.has(row));
    const decision = first === undefined ? undefined : decided.get(first.row);
    if (first === undefined || decision === undefined || doubts.length === 0) continue;
    const problem = problemOf(group, decided, { row: first.row, decision });
    if (problem !== null) problems.push(problem);
    const open = doubts.filter(({ row }) => !decided.has(row));
    added.push(...open.map(({ row }) => ({ row, decision })));
  }
  if (problems.length > 0) throw new UsageError([...problems, 'Nothing was resolved.']);
  const all = [...decisions, ...added].sort((a, b) => a.row - b.row);
  return { decisions: all, mates: added.map(({ row }) => row) };
}

async function* groupsOf({
  settlements,
}: Pick<LedgerView, 'settlements'>): AsyncGenerator<readonly Settlement[]> {
  const cutter = createGroupCutter<Settlement>(({ key }) => (key === '' ? null : key));
  const rowsOf = (group: RowGroup<Settlement> | null) => (group === null ? [] : [group.lead, ...group.mates]);
  for await (const batch of settlements()) {
    for (const settlement of batch) {
      const group = rowsOf(cutter.take(settlement));
      if (group.length > 0) yield group;
    }
  }
  yield rowsOf(cutter.end());
}

function problemOf(
  group: readonly Settlement[],
  decided: ReadonlyMap<number, Decision>,
  { row, decision }: RowDecision,
): string | null {
  for (const mate of group) {
    const other = decided.get(mate.row) ?? settledAs(mate);
    if (other === null || describeDecision(other) === describeDecision(decision)) continue;
    return (
      `row ${mate.row} is ${describeDecision(other)}, and row ${row}, of the same key, ${describeDecision(decision)}: ` +
      'expected one decision, since rows of one key are one record'
    );
  }
  return null;
}

/** What was decided or found of a row before; `null` where that says nothing of the others. */
function settledAs({ outcome, id, code }: Settlement): Decision | null {
  if (wasAccepted(outcome)) return { kind: 'created', id };
  return code === 'not_created' ? { kind: 'not-created' } : null;
}
