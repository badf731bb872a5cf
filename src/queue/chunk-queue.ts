import { type Job, Queue } from 'bullmq';
import type { RedisConnection } from '../lib/redis-connection.ts';
import {
  type ChunkJob,
  type ChunkPayload,
  chunkJobId,
  chunkOfPayload,
  payloadOf,
  runOfJobId,
} from './chunk-job.ts';
import { FIRST_PRIORITY, isRenumberingDue, isReserved, nextPriority, renumbered } from './chunk-order.ts';

/*
 * The chunks of all runs of one target, in two BullMQ queues that every worker process serves side by side, by BullMQ's
 * documented interface only:
 *
 * - the shared queue holds nearly all chunks. Their priorities share the workers among the runs by weight (chunk-order.ts); a
 *   process has few of them in hand, so that the others are left for other processes;
 * - the reserved queue holds two of the 64 chunks that a run may have open, its first two to begin with. A process has places for
 *   those of many runs. So a new run's first row goes out at once, and no run is ever without a chunk in hand, even where large
 *   runs have taken all places of the shared queue and a slow service keeps them for minutes.
 *
 * A queue for each run, served in turns, was the other design. It needs one waiting connection for each run in each process (or
 * asks each queue again and again: 1,000 workers and 16 runs would keep Redis busy with that alone), an index of the runs to be
 * served, renewal of locks by hand, and a sweep for the queues of runs that are over. Two queues need one more connection for each
 * process, whatever the number of runs, and leave nothing behind.
 */

/** BullMQ's names for the two queues; the target is in the prefix. */
export const SHARED_QUEUE = 'chunks';
export const RESERVED_QUEUE = 'chunks-reserved';

/** Tried again for ever: a BullMQ job fails only while a row's fate can't be recorded, and its failure is no verdict on rows. */
const JOB_OPTIONS = {
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: false,
} as const;

/** Jobs that are asked for at once: each comes with its payload. */
const JOBS_PER_LOOK = 64;

export type ChunkQueue = {
  /**
   * Adds chunks of one run in order; one that is there already stays as it is. Runs share the workers by their weights:
   * `open` is how many of the run's chunks are waiting or worked on, 0 where it is not said.
   */
  add(chunks: readonly ChunkJob[], open?: number): Promise<void>;
  /** How many chunks wait in turn for a worker, of all runs; without the reserved ones, which don't wait long. */
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

type BullQueue = Queue<ChunkPayload, void, 'chunk'>;

export function createChunkQueue(
  connection: RedisConnection,
  prefix: string,
  onError: (error: Error) => void,
): ChunkQueue {
  const open = (name: string): BullQueue => {
    const queue: BullQueue = new Queue(name, { connection, prefix, defaultJobOptions: JOB_OPTIONS });
    return queue.on('error', onError);
  };
  const shared = open(SHARED_QUEUE);
  const reserved = open(RESERVED_QUEUE);
  const both = [shared, reserved];
  const queueOf = (chunk: number) => (isReserved(chunk) ? reserved : shared);
  /** Of each run that is being read the priority that its last chunk was given here. */
  const lasts = new Map<string, number>();

  return {
    async add(chunks, openBefore = 0) {
      const isHere = chunks.map(({ chunk }) => isReserved(chunk));
      await reserved.addBulk(chunks.filter((_, i) => isHere[i]).map((chunk) => jobOf(chunk)));
      if (isHere.every(Boolean)) return;
      const virtualTime = await virtualTimeOf(shared);
      const jobs = chunks.flatMap((chunk, i) => {
        if (isHere[i]) return [];
        const { run, weight = 1 } = chunk;
        const backlog = { virtualTime, last: lasts.get(run) ?? null, open: openBefore + i, weight };
        const priority = nextPriority(backlog);
        lasts.set(run, priority);
        return jobOf(chunk, priority);
      });
      await shared.addBulk(jobs);
    },
    countWaiting: () => shared.getPrioritizedCount(),
    has: async (run, chunk) => (await queueOf(chunk).getJob(chunkJobId(run, chunk))) !== undefined,
    async retryFailed() {
      for (const queue of both) {
        if ((await queue.getFailedCount()) > 0) await queue.retryJobs({ state: 'failed' });
      }
    },
    async takeOut(run, chunk) {
      const [queue, id] = [queueOf(chunk), chunkJobId(run, chunk)];
      const job = await queue.getJob(id);
      // Refused while its lock lives: the worker that holds it may have rows on the wire.
      if (job !== undefined && (await queue.remove(id)) !== 1) return null;
      return { rows: rowsOf(job?.data) };
    },
    async promote(run) {
      for (const queue of both) {
        const delayed = await queue.getRanges(['delayed'], 0, -1);
        const own = delayed.filter((id) => runOfJobId(id) === run);
        // BullMQ's own way to promote all puts them before everybody's.
        await eachJob(queue, own, (job) => job.promote());
      }
    },
    async close() {
      await Promise.all(both.map((queue) => queue.close()));
    },
  };
}

function jobOf(chunk: ChunkJob, priority?: number) {
  const jobId = chunkJobId(chunk.run, chunk.chunk);
  return {
    name: 'chunk' as const,
    data: payloadOf(chunk),
    opts: { jobId, ...(priority !== undefined && { priority }) },
  };
}

/** How far a queue has come: the priority of the chunk that is taken next. Renumbers the waiting ones where that is due. */
async function virtualTimeOf(queue: BullQueue): Promise<number> {
  const [[first], [last]] = await Promise.all([queue.getPrioritized(0, 0), queue.getPrioritized(-1, -1)]);
  if (first === undefined || last === undefined) return FIRST_PRIORITY;
  const reach = { first: first.priority, last: last.priority };
  if (!isRenumberingDue(reach.first, reach.last)) return reach.first;
  const waiting = await queue.getRanges(['prioritized'], 0, -1);
  await eachJob(queue, waiting, async (job) => {
    const priority = renumbered(job.priority, reach);
    if (priority !== job.priority) await job.changePriority({ priority });
  });
  return renumbered(reach.first, reach);
}

/** Passes over jobs that are gone by now, or have got into another state: a worker has taken them. */
async function eachJob(
  queue: BullQueue,
  ids: readonly string[],
  act: (job: Job<ChunkPayload, void, 'chunk'>) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += JOBS_PER_LOOK) {
    const jobs = await Promise.all(ids.slice(at, at + JOBS_PER_LOOK).map((id) => queue.getJob(id)));
    await Promise.allSettled(jobs.map((job) => job && act(job)));
  }
}

function rowsOf(payload: unknown): ChunkJob['rows'] | null {
  try {
    return chunkOfPayload(payload).rows;
  } catch {
    return null;
  }
}
