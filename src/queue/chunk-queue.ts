import { Queue } from 'bullmq';
import { createRecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import {
  type ChunkJob,
  type ChunkPayload,
  chunkJobId,
  chunkOfPayload,
  payloadOf,
  runOfJobId,
} from './chunk-job.ts';
import { nextTurn, priorityOf } from './chunk-turn.ts';
import { createTurns } from './turns.ts';

/** BullMQ's name for the queue of chunks; the target is in the prefix. */
export const QUEUE_NAME = 'chunks';

/** Tried again for ever: a BullMQ job fails only while a row's fate can't be recorded, and its failure is no verdict on rows. */
const JOB_OPTIONS = {
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: false,
} as const;

/** Many more than are read at once; one that is gone gets its next turn as a new run does. */
const RUNS_KEPT = 1_000;

export type ChunkQueue = {
  /**
   * Adds chunks of one run in order; one that is there already stays as it is. Runs share the workers by their weights:
   * `open` is how many of the run's chunks are waiting or worked on, 0 where it is not said.
   */
  add(chunks: readonly ChunkJob[], open?: number): Promise<void>;
  /** How many chunks wait for a worker, of all runs. */
  countWaiting(): Promise<number>;
  /** Whether the queue still has the chunk, waiting or being worked on. */
  has(run: string, chunk: number): Promise<boolean>;
  /** Puts chunks back that BullMQ gave up: it can do so without having run them. */
  retryFailed(): Promise<void>;
  /** Takes a chunk out of the queue for good, with its rows where it had them; `null`: a worker has it in hand. */
  takeOut(run: string, chunk: number): Promise<{ readonly rows: ChunkJob['rows'] | null } | null>;
  /** Lets chunks of a run that were put back for a while start at once. */
  promote(run: string): Promise<void>;
  close(): Promise<void>;
};

export function createChunkQueue(
  connection: RedisConnection,
  prefix: string,
  onError: (error: Error) => void,
): ChunkQueue {
  const queue = new Queue<ChunkPayload, void, 'chunk'>(QUEUE_NAME, {
    connection,
    prefix,
    defaultJobOptions: JOB_OPTIONS,
  });
  queue.on('error', onError);
  const waiting = queue.toKey('prioritized');
  const turns = createTurns(connection, waiting);
  /** Of each run that is being read the turn that its last chunk was given here. */
  const last = createRecentMap<string, number>(RUNS_KEPT);
  const turnOf = ({ run, weight = 1 }: ChunkJob, now: number, open: number) => {
    const turn = nextTurn({ now, last: last.get(run) ?? null, open, weight });
    last.set(run, turn);
    return turn;
  };
  return {
    async add(chunks, open = 0) {
      const now = await turns.now();
      await queue.addBulk(
        chunks.map((chunk, i) => ({
          name: 'chunk',
          data: payloadOf(chunk),
          opts: {
            jobId: chunkJobId(chunk.run, chunk.chunk),
            priority: priorityOf(turnOf(chunk, now, open + i)),
          },
        })),
      );
    },
    countWaiting: () => connection.zcard(waiting),
    has: async (run, chunk) => (await queue.getJob(chunkJobId(run, chunk))) !== undefined,
    async retryFailed() {
      if ((await queue.getFailedCount()) > 0) await queue.retryJobs({ state: 'failed' });
    },
    async takeOut(run, chunk) {
      const id = chunkJobId(run, chunk);
      const job = await queue.getJob(id);
      // Refused while its lock lives: the worker that holds it may have rows on the wire.
      if (job !== undefined && (await queue.remove(id)) !== 1) return null;
      return { rows: rowsOf(job?.data) };
    },
    async promote(run) {
      const delayed = (await queue.getRanges(['delayed'], 0, -1)).filter((id) => runOfJobId(id) === run);
      const jobs = await Promise.all(delayed.map((id) => queue.getJob(id)));
      // One whose time has come meanwhile waits already. BullMQ's own way to promote all puts them before everybody's.
      await Promise.allSettled(jobs.map((job) => job?.promote()));
    },
    close: () => queue.close(),
  };
}

function rowsOf(payload: unknown): ChunkJob['rows'] | null {
  try {
    return chunkOfPayload(payload).rows;
  } catch {
    return null;
  }
}
