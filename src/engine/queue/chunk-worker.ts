/**
 * Takes chunks from a target's queue (chunk-queue.ts) and hands each to `deliver` with a lease: its
 * lock in Redis, as far as this process can be sure of it. Once it lapses nothing more is sent:
 * another worker may have the chunk. Jobs are processed manually, so that places and locks are
 * decided here.
 */

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Job, Worker } from 'bullmq';
import { errorOf, messageOf } from '../../lib/errors.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { SHIPPED_TIMES } from '../../lib/times.ts';
import { sleep, withDeadline } from '../../lib/waiting.ts';
import { type ChunkJob, type ChunkPayload, chunkOfPayload, runOfJobId, type SealOf } from './chunk-job.ts';
import { FIRST_PRIORITY, priorityAgain, priorityBefore } from './chunk-order.ts';
import { type BullQueue, eachJob, jobOf, openBullQueue, QUEUE_NAME, UNASKED } from './chunk-queue.ts';

/** Of the lock's time: for differences between Redis' clock and this process'. */
const LOCK_MARGIN = 1 / 10;
/** Of the lock's time, between renewals. */
const RENEWAL = 1 / 3;
/** Of the lock's time, between looks for lapsed locks. */
const STALLED_CHECK = 1 / 2;
/** Chunks in hand in one process: rows are ready while others wait for last replies. */
const PLACES = 8;
/** Beyond those, for runs with none in hand; limits what a process holds in memory. */
const EXTRA_PLACES_MAX = 8;
/** How often a full process looks for such runs, among so many first and last waiting chunks. */
const LOOK_MS = 1_000;
const LOOKED_AT = 16;
/** When a chunk that was put back is looked at again; `promote` ends the wait. */
const AGAIN_AFTER_MS: Readonly<Record<Exclude<ChunkEnd, 'closed'>, number>> = {
  'put-back': 1_000,
  // Every chunk of every paused run is looked at this often.
  'put-aside': 5_000,
};
const RETRY_MS = 1_000;
const CLOSE_TIMEOUT_MS = 5_000;

export type ChunkLease = {
  /** False once another worker may have the lock: nothing more of the chunk may be sent. */
  isHeld(): boolean;
};

/** `put-back`: rows are left that could not be sent now. `put-aside`: the run is not running. */
export type ChunkEnd = 'closed' | 'put-back' | 'put-aside';

type ChunkWorker = {
  /** Takes no more chunks and waits for those in hand, but not long for what can't settle. */
  close(): Promise<void>;
};

type ChunkWorkerOptions = {
  readonly connection: RedisConnection;
  readonly prefix: string;
  /** How long a lock lives unless it is renewed; default: the shipped time. */
  readonly lockMs?: number;
  readonly sealOf: SealOf;
  readonly deliver: (job: ChunkJob, lease: ChunkLease) => Promise<ChunkEnd>;
  readonly onError: (error: Error) => void;
};

type BullJob = Job<ChunkPayload, void>;

/** A chunk in hand. */
type Take = { readonly run: string; readonly lease: ChunkLease; readonly ended: Promise<void> };

/** `deliver` throws only where a row's fate can't be recorded. */
export function startChunkWorker(options: ChunkWorkerOptions): ChunkWorker {
  const { connection, prefix, onError } = options;
  const lockMs = options.lockMs ?? SHIPPED_TIMES.lockMs;
  const queue = openBullQueue(connection, prefix, onError);
  const worker = new Worker<ChunkPayload, void>(QUEUE_NAME, null, {
    ...UNASKED,
    connection,
    prefix,
    lockDuration: lockMs,
    skipLockRenewal: true,
    stalledInterval: STALLED_CHECK * lockMs,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  });
  worker.on('error', onError);
  const takes = new Set<Take>();
  const places = createPlaces(takes, queue, onError);
  const state: WorkerState = {
    ...options,
    lockMs,
    queue,
    worker,
    takes,
    places,
    virtualTime: FIRST_PRIORITY,
    isClosing: false,
  };
  const taking = takeChunks(state).catch((error: unknown) => onError(errorOf(error)));

  const shut = async () => {
    places.close();
    await untilEnded(takes);
    await worker.close(true);
    await withDeadline(taking, CLOSE_TIMEOUT_MS);
    await queue.close();
  };
  let closing: Promise<void> | null = null;
  return {
    close() {
      state.isClosing = true;
      closing ??= shut();
      return closing;
    },
  };
}

type WorkerState = Required<ChunkWorkerOptions> & {
  readonly queue: BullQueue;
  readonly worker: Worker<ChunkPayload, void>;
  readonly takes: Set<Take>;
  readonly places: Places;
  /** How far the queue has come: the priority of the chunk taken last. */
  virtualTime: number;
  isClosing: boolean;
};

async function takeChunks(state: WorkerState): Promise<void> {
  const { worker, places, onError } = state;
  await worker.startStalledCheckTimer();
  while (!state.isClosing) {
    await places.free();
    if (state.isClosing) return;
    const token = randomUUID();
    try {
      const job = await worker.getNextJob(token);
      if (job !== undefined) hold(job, token, state);
    } catch (error) {
      if (state.isClosing) return;
      onError(errorOf(error));
      await putAside(error, token, state).catch(onError);
      await sleep(RETRY_MS);
    }
  }
}

function hold(job: BullJob, token: string, state: WorkerState): void {
  const { lockMs, onError, takes, places } = state;
  state.virtualTime = job.priority;
  const lease = holdLease(job, { token, lockMs, onError });
  const ended = finish(job, token, lease, state)
    .catch((error: unknown) => fail(job, token, lease, error, state))
    .then((next) => {
      lease.end();
      takes.delete(take);
      if (next !== undefined) hold(next, token, state);
      places.leave();
    });
  const take = { run: runOfJobId(job.id ?? ''), lease, ended };
  takes.add(take);
}

/** Answers the next chunk: a Redis that is full hands none out but in place of one that ends. */
async function finish(
  job: BullJob,
  token: string,
  lease: ChunkLease,
  state: WorkerState,
): Promise<BullJob | undefined> {
  const { worker, places, sealOf, deliver } = state;
  const chunk = await chunkOfPayload(job.data, sealOf);
  const end = await deliver(chunk, lease);
  if (end === 'closed') {
    const takesNext = !state.isClosing && places.isKept();
    const [next, id] = (await job.moveToCompleted(undefined, token, takesNext)) ?? [];
    return next ? Job.fromJSON(worker, next, id) : undefined;
  }
  await job.changePriority({ priority: priorityAgain(state.virtualTime, chunk.chunk) });
  await job.moveToDelayed(Date.now() + AGAIN_AFTER_MS[end], token);
  return undefined;
}

async function fail(
  job: BullJob,
  token: string,
  lease: ChunkLease,
  error: unknown,
  { onError }: WorkerState,
): Promise<undefined> {
  onError(new Error(`${job.id ?? 'a chunk'}: ${messageOf(error)}`));
  // Tried again a second later. A job whose lock was lost is another's.
  if (lease.isHeld()) await job.moveToFailed(errorOf(error), token, false).catch(onError);
}

/** A job whose data are no JSON is locked all the same: its reader could not take it out. */
async function putAside(
  error: unknown,
  token: string,
  { queue, worker, lockMs }: WorkerState,
): Promise<void> {
  const taken = error instanceof SyntaxError ? await queue.getRanges(['active'], 0, -1) : [];
  for (const id of taken) {
    const job = new Job(worker, 'chunk', null, {}, id);
    if ((await job.extendLock(token, lockMs)) === 1)
      await job.moveToDelayed(Date.now() + AGAIN_AFTER_MS['put-aside'], token);
  }
}

type Places = ReturnType<typeof createPlaces>;

/**
 * The places for chunks in one process. While all are taken, each run with none in hand here gets
 * one more, and its first chunk comes to the front: else it would wait for minutes at a slow
 * service. An extra place closes with the next chunk that ends.
 */
function createPlaces(takes: ReadonlySet<Take>, queue: BullQueue, onError: (error: Error) => void) {
  let places = PLACES;
  let ring: () => void = () => undefined;
  let isClosed = false;
  const isFull = () => takes.size >= places;
  const look = async () => {
    const first = await queue.getRanges(['prioritized'], 0, LOOKED_AT - 1, true);
    // A chunk that came back after the queue had been empty would wait behind all that are added.
    const last = await queue.getRanges(['prioritized'], -LOOKED_AT, -1, true);
    const runs = new Set([...takes].map(({ run }) => run));
    const starved = firstsOfOthers([...first, ...last], runs).slice(0, PLACES + EXTRA_PLACES_MAX - places);
    const next = starved.length > 0 && (await jobOf(queue, first[0] ?? ''));
    // Gone: taken elsewhere.
    if (!next || !isFull()) return;
    const priority = priorityBefore(next.priority);
    await eachJob(queue, starved, (job) => job.changePriority({ priority }));
    places += starved.length;
    ring();
  };
  const timer = setInterval(() => {
    if (isFull()) void look().catch(onError);
  }, LOOK_MS);
  timer.unref();
  return {
    /** Resolves when there is a place, or when the places are closed. */
    async free(): Promise<void> {
      while (isFull() && !isClosed)
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
    },
    /** Whether a chunk that ends may be followed by another in its place, which is no extra one. */
    isKept: () => takes.size <= PLACES,
    /** A chunk has ended. */
    leave(): void {
      if (places > PLACES) places -= 1;
      ring();
    },
    close(): void {
      isClosed = true;
      clearInterval(timer);
      ring();
    },
  };
}

/** Of waiting jobs, ids in order, the first of each run that is not among `runs`. */
export function firstsOfOthers(waiting: readonly string[], runs: ReadonlySet<string>): readonly string[] {
  const firsts = new Map<string, string>();
  for (const id of waiting) {
    const run = runOfJobId(id);
    if (!runs.has(run) && !firsts.has(run)) firsts.set(run, id);
  }
  return [...firsts.values()];
}

/**
 * By two clocks, of which the one further on counts: the steady one stands still while a machine is
 * suspended, the wall clock can be set back.
 */
type Moment = { readonly steady: number; readonly wall: number };

const moment = (): Moment => ({ steady: performance.now(), wall: Date.now() });
const ageOf = ({ steady, wall }: Moment) => Math.max(performance.now() - steady, Date.now() - wall);

type Holding = { readonly token: string; readonly lockMs: number; readonly onError: (error: Error) => void };

/** Renews a job's lock until it is lost or ended; it counts from before each renewal was sent. */
function holdLease(job: BullJob, { token, lockMs, onError }: Holding): ChunkLease & { end(): void } {
  // `processedOn`: when this process asked for the chunk, by its own clock.
  let renewedAt = { ...moment(), wall: job.processedOn ?? Number.NEGATIVE_INFINITY };
  let isLost = false;
  const renew = async () => {
    const at = moment();
    isLost = (await job.extendLock(token, lockMs)) !== 1 || isLost;
    if (!isLost) renewedAt = at;
  };
  // A process that hears of no renewal sends no other: it must not keep the chunk for ever.
  let isAsking = false;
  const renewAgain = async () => {
    if (isAsking) return;
    isAsking = true;
    await renew().catch(onError);
    isAsking = false;
  };
  const timer = setInterval(() => void renewAgain(), RENEWAL * lockMs);
  return {
    isHeld: () => !isLost && ageOf(renewedAt) < (1 - LOCK_MARGIN) * lockMs,
    end: () => clearInterval(timer),
  };
}

/** Gives up once all their locks have lapsed: with Redis away, chunks in hand never end. */
async function untilEnded(takes: ReadonlySet<Take>): Promise<void> {
  for (;;) {
    const all = [...takes];
    const ended = Promise.all(all.map((take) => take.ended));
    if ((await withDeadline(ended, CLOSE_TIMEOUT_MS)) !== 'late' && takes.size === 0) return;
    if (takes.size > 0 && [...takes].every(({ lease }) => !lease.isHeld())) return;
  }
}
