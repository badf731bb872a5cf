/**
 * The chunks of all runs of one target, in one BullMQ queue for any number of processes. Priorities
 * let runs take turns (chunk-order.ts); workers see that none waits for a place (chunk-worker.ts).
 * Not a queue per run: connections or polling keep Redis busy. Not a second queue for first chunks:
 * a new run's third one would wait until a large run ends.
 */

import { type Job, Queue } from 'bullmq';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Seal } from '../../lib/seal.ts';
import {
  type ChunkJob,
  type ChunkPayload,
  chunkJobId,
  chunkOfPayload,
  payloadOf,
  runOfJobId,
  type SealOf,
} from './chunk-job.ts';
import { FIRST_PRIORITY, nextPriority } from './chunk-order.ts';

/** The target is in the prefix. */
export const QUEUE_NAME = 'chunks';

/**
 * Skips BullMQ's first question, for the server's version, which `doctor` and the start of a run
 * judge. If Redis answers that with an error (BUSY, for example), a queue refuses every command,
 * and a worker spins without letting a timer or a signal through.
 */
export const UNASKED = { skipVersionCheck: true } as const;

/** For users who may only read: all others write to Redis when they are opened. */
export const LOOKING = { ...UNASKED, skipMetasUpdate: true } as const;

/** Retried for ever: a failed job is no verdict on rows, only a fate that can't be recorded. */
const JOB_OPTIONS = {
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: false,
} as const;

/** Jobs read at once: each comes with its payload. */
const JOBS_PER_LOOK = 64;

export type ChunkQueue = {
  /** All of one run, in order; existing ones stay. `open`: the run's open chunks; 0: unknown. */
  add(chunks: readonly ChunkJob[], open?: number): Promise<void>;
  /** Of all runs. */
  countWaiting(): Promise<number>;
  /** `nextWaitingMs`: how long the next chunk has waited; 0: none waits. */
  counts(): Promise<{
    readonly states: Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>;
    readonly nextWaitingMs: number;
  }>;
  /** False: nobody would deliver it: no list has it, BullMQ gave it up, or nobody can read it. */
  has(run: string, chunk: number): Promise<boolean>;
  placesOf(run: string, chunks: readonly number[]): Promise<ChunkPlaces>;
  /** Returns the chunk's rows where it had them; `null`: a worker has it in hand. */
  takeOut(run: string, chunk: number): Promise<{ readonly rows: ChunkJob['rows'] | null } | null>;
  /** Lets a run's put-back chunks start at once. */
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

export type BullQueue = Queue<ChunkPayload, void, 'chunk'>;
type ChunkBullJob = Job<ChunkPayload, void, 'chunk'>;

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

/** By commands that only read. */
export function watchChunks(connection: RedisConnection, prefix: string) {
  return looksInto(openBullQueue(connection, prefix, () => undefined, LOOKING));
}

function looksInto(queue: BullQueue): Pick<ChunkQueue, 'counts' | 'placesOf' | 'close'> {
  return {
    async counts() {
      const [counts, next] = await Promise.all([
        queue.getJobCounts('prioritized', 'active', 'delayed', 'failed'),
        nextJob(queue),
      ]);
      const { prioritized: waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
      const nextWaitingMs = next === undefined ? 0 : Math.max(0, Date.now() - next.timestamp);
      return { states: { waiting, active, delayed, failed }, nextWaitingMs };
    },
    async placesOf(run, chunks) {
      const places = { 'in hand': 0, waiting: 0, 'put back': 0, lost: 0 };
      const states = await Promise.all(chunks.map((n) => queue.getJobState(chunkJobId(run, n))));
      for (const state of states) places[PLACE_OF[state] ?? 'lost'] += 1;
      return places;
    },
    close: () => queue.close(),
  };
}

export function createChunkQueue(
  connection: RedisConnection,
  prefix: string,
  onError: (error: Error) => void,
  sealOf: SealOf,
): ChunkQueue {
  const queue = openBullQueue(connection, prefix, onError);
  /** The priority of each run's last chunk, of runs read here. */
  const lasts = new Map<string, number>();
  const priorityOf = ({ run }: ChunkJob, virtualTime: number, open: number) => {
    const priority = nextPriority({ virtualTime, last: lasts.get(run) ?? null, open });
    lasts.set(run, priority);
    return priority;
  };
  return {
    async add(chunks, open = 0) {
      const virtualTime = await virtualTimeOf(queue);
      const jobs = chunks.map(async (chunk, i) => {
        const priority = priorityOf(chunk, virtualTime, open + i);
        const opts = { jobId: chunkJobId(chunk.run, chunk.chunk), priority };
        return { name: 'chunk' as const, data: await payloadOf(chunk, sealOf), opts };
      });
      await queue.addBulk(await Promise.all(jobs));
    },
    ...looksInto(queue),
    countWaiting: () => queue.getPrioritizedCount(),
    async has(run, chunk) {
      const id = chunkJobId(run, chunk);
      if (PLACE_OF[await queue.getJobState(id)] === undefined) return false;
      return (await rowsOf(queue, id, await sealOf(run))) !== null;
    },
    async takeOut(run, chunk) {
      const id = chunkJobId(run, chunk);
      const rows = await rowsOf(queue, id, await sealOf(run));
      // Refused while its lock lives: that worker may have rows on the wire.
      return (await queue.remove(id)) === 1 ? { rows } : null;
    },
    async promote(run) {
      const delayed = await queue.getRanges(['delayed'], 0, -1, true);
      const own = delayed.filter((id) => runOfJobId(id) === run);
      // BullMQ's own promotion of all puts them before everybody's.
      await eachJob(queue, own, (job) => job.promote());
    },
  };
}

/** The priority of the chunk that is taken next. */
async function virtualTimeOf(queue: BullQueue): Promise<number> {
  return (await nextJob(queue))?.priority ?? FIRST_PRIORITY;
}

async function nextJob(queue: BullQueue): Promise<ChunkBullJob | undefined> {
  const [id = ''] = await queue.getRanges(['prioritized'], 0, 0, true);
  return jobOf(queue, id);
}

/** None where its data are no JSON: BullMQ parses them with all else. */
export function jobOf(queue: BullQueue, id: string): Promise<ChunkBullJob | undefined> {
  return queue.getJob(id).catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
}

/** In that order; skips jobs that a worker has taken meanwhile. */
export async function eachJob(
  queue: BullQueue,
  ids: readonly string[],
  act: (job: ChunkBullJob) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += JOBS_PER_LOOK) {
    const jobs = await Promise.all(ids.slice(at, at + JOBS_PER_LOOK).map((id) => jobOf(queue, id)));
    await Promise.allSettled(jobs.map((job) => job && act(job)));
  }
}

/** `null`: nobody can read them. */
async function rowsOf(queue: BullQueue, id: string, seal: Seal): Promise<ChunkJob['rows'] | null> {
  const job = await jobOf(queue, id);
  return chunkOfPayload(job?.data, async () => seal).then(
    ({ rows }) => rows,
    () => null,
  );
}
