/**
 * Takes chunks from a target's queue (chunk-queue.ts) and hands each to `deliver` with a lease: the
 * lock that BullMQ renews, as far as this process can be sure of it. A take whose lock has lapsed
 * sends nothing more, since another worker may have the chunk. Decides how long a dead worker's
 * lock lives, and how soon others look for it.
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

/** Of the lock's time: for differences between Redis' clock and this process'. */
const LOCK_MARGIN = 1 / 10;
/** Of the lock's time: how often lapsed locks are looked for. */
const STALLED_CHECK = 1 / 2;
/** Chunks in hand in one process: enough that rows are ready while others wait for last replies. */
const PLACES = 8;
/** When a chunk that was put back is looked at again; `promote` ends the wait. */
const AGAIN_AFTER_MS: Readonly<Record<Exclude<ChunkEnd, 'closed'>, number>> = {
  'put-back': 1_000,
  // Somebody looks this often at every chunk of every paused run.
  'put-aside': 5_000,
};
const RETRY_MS = 1_000;
/**
 * Locks live by Redis' wall clock: set back an hour while a worker dies, it would keep the worker's
 * chunks, and the search for them, for that hour. No renewed lock lives longer than its time, so
 * longer ones are shortened. Only the oldest chunks in hand are looked at: a dead worker's become
 * that.
 * KEYS: stalled check, active. ARGV: its time (ms), a lock's (ms), how many, prefix of jobs.
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

/** The right to work on a chunk, while this worker surely has it. */
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

/**
 * By two clocks, of which the one that went on further counts: the steady one stops while a machine
 * is suspended, and the wall clock can be set back.
 */
type Moment = { readonly steady: number; readonly wall: number };

const moment = (): Moment => ({ steady: performance.now(), wall: Date.now() });
const LAPSED: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
const ageOf = ({ steady, wall }: Moment) => Math.max(performance.now() - steady, Date.now() - wall);

/** Notes when a renewal was asked for: a process that stood still sees its answer late. */
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

/** Until it is closed; `deliver` throws only where a row's fate can't be recorded. */
export function startChunkWorker(options: {
  readonly connection: RedisConnection;
  readonly prefix: string;
  /** Lifetime of a lock without renewal; default: the shipped time. */
  readonly lockMs?: number;
  readonly deliver: (job: ChunkJob, lease: ChunkLease) => Promise<ChunkEnd>;
  readonly onError: (error: Error) => void;
}): ChunkWorker {
  const { connection, prefix, lockMs = SHIPPED_TIMES.lockMs, deliver, onError } = options;
  const isHeld = ({ renewedAt }: { readonly renewedAt: Moment }) =>
    ageOf(renewedAt) < (1 - LOCK_MARGIN) * lockMs;
  const leases = new Map<string, { renewedAt: Moment }>();
  let virtualTime = FIRST_PRIORITY;

  const process = async (job: Job<ChunkPayload, void>, token?: string) => {
    const id = job.id ?? '';
    // `processedOn`: when this process asked for a chunk, by its own clock.
    const own = { renewedAt: { ...moment(), wall: job.processedOn ?? Number.NEGATIVE_INFINITY } };
    leases.set(id, own);
    const leave = started.current().guard.take(id);
    virtualTime = job.priority;
    // A lost chunk may come back to this very process: to another take, with a lease of its own.
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
      // Against BullMQ's advice: the default rests 15 s after a lost connection, longer than a
      // lock.
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
 * Waits for the chunks in hand while their locks are renewed; without Redis they never end. Pauses
 * to wait, since a close that has begun can't be forced: BullMQ answers a second call with the
 * first one's promise.
 */
async function closeWorker(
  worker: Worker<ChunkPayload, void>,
  { isInHand, isConnected }: { isInHand(): boolean; isConnected(): boolean },
): Promise<void> {
  const isIdle = !isInHand() && isConnected();
  // A connection that breaks meanwhile must not prevent the close. With nothing in hand a close
  // waits for nothing, and a pause would take a tenth of a second.
  const ended = (isIdle ? worker.close() : worker.pause()).catch(() => undefined);
  while ((await withDeadline(ended, CLOSE_TIMEOUT_MS)) === 'late') {
    if (!isInHand()) break;
  }
  if (!isIdle) await worker.close(true);
}
