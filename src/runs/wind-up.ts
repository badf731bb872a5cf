/**
 * The end of a cancelled run: every row gets its outcome, chunk by chunk. Unsent rows are
 * cancelled, those that a dead worker had in flight are in doubt, and a living worker settles its
 * own. Every step may be done again. Rows that can't be read any more are recorded by their number
 * alone.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { isWhole } from '../delivery/deliver-chunk.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { createRunInput } from '../engine/ledger/reruns.ts';
import type { ChunkJob } from '../engine/queue/chunk-job.ts';
import type { ChunkQueue } from '../engine/queue/chunk-queue.ts';
import { messageOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { chunksOf, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import type { TargetSession } from '../session.ts';
import { createAccountsOf, openIdentify } from './identities.ts';
import type { RowSource } from './rows.ts';

type WindUp = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly rows: RowSource;
  readonly queue: ChunkQueue;
  readonly signal: AbortSignal;
  readonly session: Pick<TargetSession, 'ledger' | 'delivery' | 'io'>;
};

type JobRows = ChunkJob['rows'];

/** Between two looks at a chunk that a worker has in hand. */
const HELD_POLL_MS = 200;

/** `stopped`: before the last chunk was closed. */
export async function windUpRun(windUp: WindUp): Promise<'complete' | 'stopped'> {
  const { run, signal, session } = windUp;
  const { keys, store } = session.ledger.of(run.target);
  const closed = await store.closedChunks(run.id);
  const input = createRunInput(session.ledger.redis, keys, run.id);
  let known: ReturnType<typeof input.numbers> | null = null;
  const numbers = () => {
    known ??= input.numbers();
    return known;
  };
  let n = 0;
  for await (const read of rowsByChunk(windUp)) {
    n += 1;
    if (!closed.has(n)) await windUpChunk(n, read, { ...windUp, numbers });
    if (signal.aborted) return 'stopped';
  }
  return 'complete';
}

/** Of every chunk of the run; `null` from the first unreadable one on. */
async function* rowsByChunk({
  run,
  definition,
  rows,
  session,
}: WindUp): AsyncGenerator<JobRows | null, void, undefined> {
  let n = 0;
  try {
    const { redis, of } = session.ledger;
    const { keys } = of(run.target);
    const identify = await openIdentify(run, definition, { redis, keys });
    const accountsOf = createAccountsOf(definition, mappingFor(definition, run.source), keys);
    for await (const chunk of (await rows(run, definition)) ?? []) {
      if (chunk.n !== n + 1 || n === chunksOf(run)) break;
      n += 1;
      const accounts = new Map(
        accountsOf?.(chunk.rows, () => true).map(({ row, digests }) => [row, { named: [...digests] }]),
      );
      // Whose keys and accounts they are was decided when the chunk was added; only a row's own are
      // given back.
      yield chunk.rows.map((row) => {
        const { rowContent } = identify(row) ?? {};
        return { row, claim: CLAIMED, rowContent, accounts: accounts.get(row.row) };
      });
    }
  } catch (error) {
    tell(session.io, `warning: ${messageOf(error)}`, WITHOUT_LINES);
  }
  for (; n < chunksOf(run); n += 1) yield null;
}

const WITHOUT_LINES = 'Rows that were not handed out yet are recorded without line and key.';
const CLAIMED = { kind: 'claimed' } as const;

type WindingUp = WindUp & {
  /** Row numbers in row order; `null`: they follow from the chunk's. */
  numbers(): Promise<readonly number[] | null>;
};

/** Until the chunk is closed, or the signal comes. */
async function windUpChunk(n: number, read: JobRows | null, windingUp: WindingUp): Promise<void> {
  const { run, queue, signal, session, numbers } = windingUp;
  while (!signal.aborted) {
    const taken = await queue.takeOut(run.id, n);
    if (taken !== null) {
      const known = [taken.rows, read].find((rows) => rows !== null && isWhole({ chunk: n, rows }, run));
      const rows = known ?? unknownRows(n, run, await numbers());
      // The chunk is out of the queue, and nothing is sent: no worker can take it away.
      const end = await session.delivery.deliver({ run: run.id, chunk: n, rows }, { isHeld: () => true });
      if (end === 'closed') return;
    }
    await sleep(HELD_POLL_MS, signal);
  }
}

/** `known`: the rows' numbers where they don't follow from the chunk's. */
export function unknownRows(n: number, run: Run, known: readonly number[] | null): JobRows {
  const before = rowsBefore(run, n);
  // A rerun's rows have numbers of another run's file, which can't be made up.
  const isShort = known === null ? run.parent !== null : known.length !== run.rows;
  if (isShort) throw new UsageError(`The rows of run ${run.id} are lost, and so are their numbers.`);
  return Array.from({ length: rowsOfChunk(run, n) }, (_, i) => {
    const row = known === null ? before + i + 1 : (known[before + i] ?? 0);
    return {
      row: { kind: 'unreadable', row, line: 0, text: '', problem: 'its record was lost' },
      claim: CLAIMED,
    };
  });
}
