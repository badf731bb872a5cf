/**
 * The chunks of all runs of one target, in one BullMQ queue. Any number of processes add to
 * it and work on it. Their priorities let runs take turns at the workers (chunk-order.ts); the workers see to it that no
 * run waits for a place (starvation-guard.ts). Two other designs were weighed up:
 *
 * - A queue for each run, served in turns. BullMQ's worker has a waiting connection of its own, so that takes one for each run in
 *   each process, opened and closed with every small file; or each process asks each queue again and again, and 1,000 workers
 *   with 16 runs keep Redis busy with that alone. It needs besides an index of the runs to be served, a check for stalled jobs
 *   for each queue, and a sweep for the queues of runs that are over.
 * - A second queue for the first two chunks of each run, with places of its own. It was built: a new run's first row goes out
 *   at once. But its third chunk then waits until a large run's ends, for minutes where the service is slow.
 */

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
import { FIRST_PRIORITY, isRenumberingDue, nextPriority, renumbered } from './chunk-order.ts';
import { LOOKING, UNASKED } from './start-when-ready.ts';

/** BullMQ's name for the queue of chunks; the target is in the prefix. */
export const QUEUE_NAME = 'chunks';

/** Tried again for ever: a BullMQ job fails only while a row's fate can't be recorded, and its failure is no verdict on rows. */
const JOB_OPTIONS = {
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: false,
} as const;

/** Between two looks at how far apart the waiting chunks stand: such a look is the payloads of two of them. */
const ADDS_PER_LOOK = 16;
/** Jobs that are asked for at once: each comes with its payload. */
const JOBS_PER_LOOK = 64;

export type ChunkQueue = {
  /**
   * Adds chunks of one run in order; one that is there already stays as it is. `open`: how many of the run's chunks are waiting or worked on, 0 where it is not said.
   */
  add(chunks: readonly ChunkJob[], open?: number): Promise<void>;
  /** How many chunks wait for a worker, of all runs. */
  countWaiting(): Promise<number>;
  /** How many chunks there are by state, and for how long the one that is taken next has been waiting, ms; 0: none waits. */
  counts(): Promise<ChunkCounts>;
  /** Whether the chunk is in one of the queue's lists: else nobody would ever take it, though the queue may still know it. */
  has(run: string, chunk: number): Promise<boolean>;
  /** How many of the run's chunks are where. */
  placesOf(run: string, chunks: readonly number[]): Promise<ChunkPlaces>;
  /** Puts chunks back that BullMQ gave up: it can do so without having run them. */
  retryFailed(): Promise<void>;
  /** Removes a chunk from the queue, with its rows where it had them; `null`: a worker has it in hand. */
  takeOut(run: string, chunk: number): Promise<{ readonly rows: ChunkJob['rows'] | null } | null>;
  /** Lets chunks of a run that were put back for a while start at once. */
  promote(run: string): Promise<void>;
  close(): Promise<void>;
};

type ChunkPlaces = Readonly<Record<'in hand' | 'waiting' | 'put back' | 'lost', number>>;

const PLACE_OF: Readonly<Record<string, keyof ChunkPlaces>> = {
  active: 'in hand',
  prioritized: 'waiting',
  waiting: 'waiting',
  delayed: 'put back',
};

type ChunkCounts = {
  readonly states: Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>;
  readonly nextWaitingMs: number;
};

/** BullMQ's handle on the queue. */
export type BullQueue = Queue<ChunkPayload, void, 'chunk'>;

export function openBullQueue(
  connection: RedisConnection,
  prefix: string,
  onError: (error: Error) => void,
  how: typeof UNASKED | typeof LOOKING = UNASKED,
): BullQueue {
  const queue: BullQueue = new Queue(QUEUE_NAME, {
    connection,
    prefix,
    defaultJobOptions: JOB_OPTIONS,
    ...how,
  });
  return queue.on('error', onError);
}

/** For who only counts the chunks, by commands that only read. */
export function watchChunks(
  connection: RedisConnection,
  prefix: string,
): Pick<ChunkQueue, 'counts' | 'placesOf' | 'close'> {
  const queue = openBullQueue(connection, prefix, () => undefined, LOOKING);
  return {
    counts: () => countsOf(queue),
    placesOf: (run, chunks) => placesOf(queue, run, chunks),
    close: () => queue.close(),
  };
}

export function createChunkQueue(
  connection: RedisConnection,
  prefix: string,
  onError: (error: Error) => void,
): ChunkQueue {
  const queue = openBullQueue(connection, prefix, onError);
  /** Of each run that is being read the priority that its last chunk was given here. */
  const lasts = new Map<string, number>();
  let adds = 0;
  const priorityOf = ({ run }: ChunkJob, virtualTime: number, open: number) => {
    const priority = nextPriority({ virtualTime, last: lasts.get(run) ?? null, open });
    lasts.set(run, priority);
    return priority;
  };
  return {
    async add(chunks, open = 0) {
      if (adds % ADDS_PER_LOOK === 0) await renumberIfDue(queue);
      adds += 1;
      const virtualTime = await virtualTimeOf(queue);
      await queue.addBulk(
        chunks.map((chunk, i) => ({
          name: 'chunk',
          data: payloadOf(chunk),
          opts: {
            jobId: chunkJobId(chunk.run, chunk.chunk),
            priority: priorityOf(chunk, virtualTime, open + i),
          },
        })),
      );
    },
    countWaiting: () => queue.getPrioritizedCount(),
    counts: () => countsOf(queue),
    has: async (run, chunk) => (await queue.getJobState(chunkJobId(run, chunk))) !== 'unknown',
    placesOf: (run, chunks) => placesOf(queue, run, chunks),
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
      const delayed = await queue.getRanges(['delayed'], 0, -1, true);
      const own = delayed.filter((id) => runOfJobId(id) === run);
      // BullMQ's own way to promote all puts them before everybody's.
      await eachJob(queue, own, (job) => job.promote());
    },
    close: () => queue.close(),
  };
}

async function placesOf(queue: BullQueue, run: string, chunks: readonly number[]): Promise<ChunkPlaces> {
  const places = { 'in hand': 0, waiting: 0, 'put back': 0, lost: 0 };
  for (const state of await Promise.all(chunks.map((n) => queue.getJobState(chunkJobId(run, n)))))
    places[PLACE_OF[state] ?? 'lost'] += 1;
  return places;
}

async function countsOf(queue: BullQueue): Promise<ChunkCounts> {
  const [counts, [next]] = await Promise.all([
    queue.getJobCounts('prioritized', 'active', 'delayed', 'failed'),
    queue.getPrioritized(0, 0),
  ]);
  const { prioritized: waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
  const nextWaitingMs = next === undefined ? 0 : Math.max(0, Date.now() - next.timestamp);
  return { states: { waiting, active, delayed, failed }, nextWaitingMs };
}

/** How far the queue has come: the priority of the chunk that is taken next. */
async function virtualTimeOf(queue: BullQueue): Promise<number> {
  const [first] = await queue.getPrioritized(0, 0);
  return first?.priority ?? FIRST_PRIORITY;
}

async function renumberIfDue(queue: BullQueue): Promise<void> {
  const [[first], [last]] = await Promise.all([queue.getPrioritized(0, 0), queue.getPrioritized(-1, -1)]);
  if (first === undefined || last === undefined) return;
  const reach = { first: first.priority, last: last.priority };
  if (!isRenumberingDue(reach)) return;
  const waiting = await queue.getRanges(['prioritized'], 0, -1, true);
  await eachJob(queue, waiting, async (job) => {
    const priority = renumbered(job.priority, reach);
    if (priority !== job.priority) await job.changePriority({ priority });
  });
}

/** Acts on jobs in that order, and passes over those that are gone by now or in another state: a worker has taken them. */
export async function eachJob(
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
