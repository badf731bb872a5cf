/**
 * Takes chunks from the queue of a target (chunk-queue.ts) and hands each to `deliver` with a lease: the lock that BullMQ renews, as
 * far as this process can be sure of it. A take whose lock has lapsed sends nothing more, since another worker may have the
 * chunk. How long a dead worker's lock lives, and how soon others look for it, is decided here.
 */

import { performance } from 'node:perf_hooks';
import { DelayedError, type Job, Worker } from 'bullmq';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { SHIPPED_TIMES } from '../lib/times.ts';
import { withDeadline } from '../lib/waiting.ts';
import { type ChunkJob, type ChunkPayload, chunkOfPayload } from './chunk-job.ts';
import { FIRST_PRIORITY, priorityAgain } from './chunk-order.ts';
import { openBullQueue, QUEUE_NAME } from './chunk-queue.ts';
import { startWhenReady } from './start-when-ready.ts';
import { createStarvationGuard } from './starvation-guard.ts';

/** Of the lock's time: for what may differ between the clocks of Redis and of this process. */
const LOCK_MARGIN = 1 / 10;
/** Of the lock's time: how often locks that have lapsed are looked for. */
const STALLED_CHECK = 1 / 2;
/** Chunks in hand at once in one process: enough that rows are always ready when others wait for their last replies. */
const PLACES = 8;
/** A chunk that is put back is looked at again after this long; the queue's `promote` doesn't let it wait. */
const AGAIN_AFTER_MS: Readonly<Record<Exclude<ChunkEnd, 'closed'>, number>> = {
  'put-back': 1_000,
  // Every chunk of every run that is paused is looked at that often, by somebody.
  'put-aside': 5_000,
};
const RETRY_MS = 1_000;
/**
 * Locks live by Redis' wall clock: were it set back an hour while a worker dies, its chunks and the look for them would stand still
 * for that hour. No lock that is renewed lives longer than it was given, so what does is shortened to that. Of the chunks in hand the oldest are
 * looked at: a dead worker's become that. KEYS: stalled check, active. ARGV: its time (ms), a lock's (ms), how many, prefix of jobs.
 */
const SHORTEN_LOCKS = `
local function shorten(key, ms)
  if redis.call('PTTL', key) > ms then redis.call('PEXPIRE', key, ms) end
end
shorten(KEYS[1], tonumber(ARGV[1]))
for _, id in ipairs(redis.call('LRANGE', KEYS[2], -ARGV[3], -1)) do shorten(ARGV[4] .. id .. ':lock', tonumber(ARGV[2])) end
return 1
`;
const CLOSE_TIMEOUT_MS = 5_000;

/** The right to work on a chunk, as long as this worker surely has it. */
export type ChunkLease = {
  /** False once the lock may have passed to another worker: nothing more of the chunk may be sent. */
  isHeld(): boolean;
};

/** `put-back`: rows are left that could not be sent now. `put-aside`: the run is not running. */
export type ChunkEnd = 'closed' | 'put-back' | 'put-aside';

type ChunkWorker = {
  /** Takes no more chunks and waits for those in hand, at most a few seconds longer than they need to settle. */
  close(): Promise<void>;
};

/**
 * A moment by two clocks, of which the one that went on further counts: the steady one stands still while a machine is suspended, and
 * the wall clock can be set back.
 */
type Moment = { readonly steady: number; readonly wall: number };

const moment = (): Moment => ({ steady: performance.now(), wall: Date.now() });
const LAPSED: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
const ageOf = ({ steady, wall }: Moment) => Math.max(performance.now() - steady, Date.now() - wall);

/** Tells of locks that were renewed when that was asked for: a process that stood still hears of it when they may have lapsed long ago. */
class LockWorker extends Worker<ChunkPayload, void> {
  onRenewed: (ids: readonly string[], at: Moment) => void = () => undefined;

  override async extendJobLocks(ids: string[], tokens: string[], lockMs: number): Promise<string[]> {
    const at = moment();
    const refused = await super.extendJobLocks(ids, tokens, lockMs);
    this.onRenewed(
      ids.filter((id) => !refused.includes(id)),
      at,
    );
    return refused;
  }
}

/** Takes chunks until it is closed; `deliver` throws only where a row's fate can't be recorded. */
export function startChunkWorker(options: {
  readonly connection: RedisConnection;
  readonly prefix: string;
  /** How long a lock lives that is not renewed; default: the shipped time. */
  readonly lockMs?: number;
  readonly deliver: (job: ChunkJob, lease: ChunkLease) => Promise<ChunkEnd>;
  readonly onError: (error: Error) => void;
}): ChunkWorker {
  const { connection, prefix, lockMs = SHIPPED_TIMES.lockMs, deliver, onError } = options;
  const isHeld = ({ renewedAt }: { readonly renewedAt: Moment }) =>
    ageOf(renewedAt) < (1 - LOCK_MARGIN) * lockMs;
  const leases = new Map<string, { renewedAt: Moment }>();
  /** How far the queue has come: the priority of the chunk that was taken last. */
  let virtualTime = FIRST_PRIORITY;

  const process = async (job: Job<ChunkPayload, void>, token?: string) => {
    const id = job.id ?? '';
    // `processedOn` is when this process asked for a chunk, by its own clock.
    const own = { renewedAt: { ...moment(), wall: job.processedOn ?? Number.NEGATIVE_INFINITY } };
    leases.set(id, own);
    const leave = started.current().guard.take(id);
    virtualTime = job.priority;
    // A chunk that was lost for a while may come back to this very process: to another take, whose lease this one does not share.
    const isOwn = () => leases.get(id) === own;
    try {
      const chunk = chunkOfPayload(job.data);
      const end = await deliver(chunk, { isHeld: () => isOwn() && isHeld(own) });
      if (end === 'closed') return;
      await job.changePriority({ priority: priorityAgain(virtualTime, chunk.chunk) });
      await job.moveToDelayed(Date.now() + AGAIN_AFTER_MS[end], token);
      throw new DelayedError();
    } finally {
      leave();
      if (isOwn()) leases.delete(id);
    }
  };
  const setRenewed = (ids: readonly string[], at: Moment) => {
    for (const id of ids) {
      const lease = leases.get(id);
      if (lease !== undefined) lease.renewedAt = at;
    }
  };
  const open = () => {
    const worker = new LockWorker(QUEUE_NAME, process, {
      connection,
      prefix,
      autorun: false,
      concurrency: PLACES,
      lockDuration: lockMs,
      stalledInterval: STALLED_CHECK * lockMs,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // BullMQ advises to leave it; but by default a worker rests for 15 s after a lost connection, longer than its locks live.
      runRetryDelay: RETRY_MS,
    });
    worker.on('error', onError);
    worker.on('failed', (job, error) => onError(new Error(`${job?.id ?? 'a chunk'}: ${error.message}`)));
    worker.onRenewed = setRenewed;
    worker.on('lockRenewalFailed', (jobIds) => setRenewed(jobIds, LAPSED));
    const queue = openBullQueue(connection, prefix, onError);
    const guard = createStarvationGuard({ worker, queue, onError });
    const waitUntilReady = () => Promise.all([worker.waitUntilReady(), queue.waitUntilReady()]);
    return { worker, queue, guard, waitUntilReady, run: () => worker.run() };
  };

  const started = startWhenReady({
    open,
    async discard({ worker, queue, guard }) {
      guard.close();
      await Promise.allSettled([worker.close(true), queue.close()]);
    },
    onError,
  });
  const shortenLocks = async () => {
    const { queue } = started.current();
    const times = [STALLED_CHECK * lockMs, lockMs, PLACES];
    await connection.eval(
      SHORTEN_LOCKS,
      2,
      queue.toKey('stalled-check'),
      queue.toKey('active'),
      ...times,
      queue.toKey(''),
    );
  };
  const shortening = setInterval(() => {
    if (connection.status === 'ready') void shortenLocks().catch(onError);
  }, STALLED_CHECK * lockMs);
  const isInHand = () => [...leases.values()].some(isHeld);
  const isConnected = () => connection.status === 'ready';
  let closing: Promise<void> | null = null;
  return {
    close() {
      const { worker, queue, guard } = started.current();
      started.stop();
      clearInterval(shortening);
      guard.close();
      closing ??= closeWorker(worker, { isInHand, isConnected }).finally(() => queue.close());
      return closing;
    },
  };
}

/**
 * Waits for the chunks in hand as long as their locks are renewed: with Redis away that ends, and they never do.
 * The waiting is pausing, since a close that has begun can't be forced: BullMQ answers a second call with the first one's promise.
 */
async function closeWorker(
  worker: Worker<ChunkPayload, void>,
  { isInHand, isConnected }: { isInHand(): boolean; isConnected(): boolean },
): Promise<void> {
  const isIdle = !isInHand() && isConnected();
  // A connection that breaks while it is waited for is no reason not to close. Where nothing is in hand a close has nothing to
  // wait for, and a pause would rest for a tenth of a second.
  const ended = (isIdle ? worker.close() : worker.pause()).catch(() => undefined);
  while ((await withDeadline(ended, CLOSE_TIMEOUT_MS)) === 'late') {
    if (!isInHand()) break;
  }
  if (!isIdle) await worker.close(true);
}
