/**
 * The end of a cancelled run: every row gets its outcome, chunk by chunk. Unsent rows are
 * cancelled, those that a dead worker had in flight are in doubt, and a living worker settles its
 * own. Every step may be done again. Rows that can't be read any more are recorded by their number
 * alone.
 */
import { isWhole } from '../delivery/deliver-chunk.ts';
import type { RowChunk } from '../intake/chunks.ts';
import { createRunInput } from '../ledger/reruns.ts';
import { messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { chunksOf, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkQueue } from '../queue/chunk-queue.ts';
import type { TargetSession } from '../session.ts';

type WindUp = {
  readonly run: Run;
  /** The run's rows as registered; `null`: they can't be read any more. */
  readonly chunks: AsyncIterable<RowChunk> | null;
  readonly queue: ChunkQueue;
  readonly signal: AbortSignal;
};

type WindUpSession = Pick<TargetSession, 'ledger' | 'delivery' | 'log'>;
type JobRows = ChunkJob['rows'];

/** Between two looks at a chunk that a worker has in hand. */
const HELD_POLL_MS = 200;

/** `stopped`: before the last chunk was closed. */
export async function windUpRun(windUp: WindUp, session: WindUpSession): Promise<'complete' | 'stopped'> {
  const { run } = windUp;
  const { keys, store } = session.ledger.of(run.target);
  const closed = await store.closedChunks(run.id);
  const input = createRunInput(session.ledger.redis, keys, run.id);
  let known: ReturnType<typeof input.numbers> | null = null;
  const numbers = () => {
    known ??= input.numbers();
    return known;
  };
  const reader = createReader(windUp, session);
  try {
    for (let n = 1; n <= chunksOf(run); n += 1) {
      const rows = await reader.next(n);
      if (!closed.has(n) && !(await windUpChunk(n, rows, { windUp, session, numbers }))) return 'stopped';
    }
    return 'complete';
  } finally {
    await reader.close();
  }
}

/** Reads chunk after chunk; `null` from the first unreadable one on. */
function createReader({ run, chunks }: WindUp, { log }: WindUpSession) {
  let iterator = chunks?.[Symbol.asyncIterator]() ?? null;
  return {
    async next(n: number): Promise<JobRows | null> {
      if (iterator === null) return null;
      try {
        const { value, done } = await iterator.next();
        // The key's owner was decided when the chunk was added; only a row's own key is given back.
        if (done !== true && value.n === n) return value.rows.map((row) => ({ row, claim: CLAIMED }));
      } catch (error) {
        const problem = messageOf(error);
        log.warn('rows can not be read any more', { run: run.id, problem });
      }
      iterator = null;
      return null;
    },
    close: async () => void (await iterator?.return?.()),
  };
}

const CLAIMED = { kind: 'claimed' } as const;

type WindingUp = {
  readonly windUp: WindUp;
  readonly session: WindUpSession;
  /** Row numbers in row order; `null`: they follow from the chunk's. */
  numbers(): Promise<readonly number[] | null>;
};

/** False: the signal came first. */
async function windUpChunk(n: number, read: JobRows | null, windingUp: WindingUp): Promise<boolean> {
  const { windUp, session, numbers } = windingUp;
  const { run, queue, signal } = windUp;
  while (!signal.aborted) {
    const taken = await queue.takeOut(run.id, n);
    if (taken !== null) {
      const known = [taken.rows, read].find((rows) => rows !== null && isWhole({ chunk: n, rows }, run));
      const rows = known ?? unknownRows(n, run, await numbers());
      // The chunk is out of the queue, and nothing is sent: no worker can take it away.
      const end = await session.delivery.deliver({ run: run.id, chunk: n, rows }, { isHeld: () => true });
      if (end === 'closed') return true;
    }
    await sleep(HELD_POLL_MS, signal);
  }
  return false;
}

function unknownRows(n: number, run: Run, known: readonly number[] | null): JobRows {
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
