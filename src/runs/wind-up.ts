import { isWhole } from '../delivery/deliver-chunk.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import { chunksOf, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd } from '../queue/chunk-worker.ts';
import type { IngestEnd } from './ingest-run.ts';

type JobRows = ChunkJob['rows'];

export type WindUpEdges = {
  readonly run: Run;
  /** The run's rows as they were registered; `null` where they can't be read any more. */
  readonly chunks: AsyncIterable<{ readonly n: number; readonly rows: readonly Row[] }> | null;
  /** The rows' numbers in row order, `null` where they follow from the chunk's; asked for where rows can't be read. */
  numbers(): Promise<readonly number[] | null>;
  /** Chunks that are closed already. */
  readonly closed: ReadonlySet<number>;
  /** Takes a chunk out of the queue, with its rows where it had them; `null`: a worker has it in hand. */
  takeOut(chunk: number): Promise<{ readonly rows: JobRows | null } | null>;
  /** Carries a chunk out in this process. */
  deliver(job: ChunkJob): Promise<ChunkEnd>;
  /** Resolves when it is worth looking at a chunk again. */
  wait(): Promise<void>;
  /** The rows can't be read from here on: those that nothing is known of are recorded without line and key. */
  onUnreadable(error: unknown): void;
  readonly signal: AbortSignal;
};

/**
 * Gives every row of a cancelled run its outcome, chunk by chunk: what nobody has sent is cancelled, what a dead worker had
 * in flight is in doubt, and what a living one has in flight it settles itself. Every step may be done again.
 * `stopped`: before the last chunk was closed.
 */
export async function windUpRun(edges: WindUpEdges): Promise<IngestEnd> {
  const reader = createReader(edges);
  try {
    for (let n = 1; n <= chunksOf(edges.run); n += 1) {
      const rows = await reader.next(n);
      if (!edges.closed.has(n) && !(await windUpChunk(n, rows, edges))) return 'stopped';
    }
    return 'complete';
  } finally {
    await reader.close();
  }
}

async function windUpChunk(n: number, read: JobRows | null, edges: WindUpEdges): Promise<boolean> {
  const { run, signal } = edges;
  for (;;) {
    if (signal.aborted) return false;
    const taken = await edges.takeOut(n);
    if (taken !== null) {
      const known = [taken.rows, read].find((rows) => rows !== null && isWhole({ chunk: n, rows }, run));
      const end = await edges.deliver({
        run: run.id,
        chunk: n,
        rows: known ?? (await unknownRows(n, edges)),
      });
      if (end === 'closed') return true;
    }
    await edges.wait();
  }
}

/** Reads chunk after chunk, as far as it goes; `null` from where it doesn't. */
function createReader({ chunks, onUnreadable }: WindUpEdges) {
  let iterator = chunks?.[Symbol.asyncIterator]() ?? null;
  return {
    async next(n: number): Promise<JobRows | null> {
      if (iterator === null) return null;
      try {
        const { value, done } = await iterator.next();
        // Whose key it is was said when the chunk was added; the ledger gives back only what is the row's own.
        if (done !== true && value.n === n) return value.rows.map((row) => ({ row, claim: CLAIMED }));
      } catch (error) {
        onUnreadable(error);
      }
      iterator = null;
      return null;
    },
    close: async () => void (await iterator?.return?.()),
  };
}

const CLAIMED = { kind: 'claimed' } as const;

/** The rows of a chunk of which nothing is left but that they are there. */
async function unknownRows(n: number, { run, numbers }: WindUpEdges): Promise<JobRows> {
  const before = rowsBefore(run, n);
  const known = await numbers();
  // A rerun's are those of another run's file, which can't be made up.
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
