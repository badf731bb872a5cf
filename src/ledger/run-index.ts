/**
 * Which target's ledger a run is in, over all targets, so that a run id alone is enough to find it, and which form all these ledgers have.
 * The index is a convenience beside the ledgers: a run that is missing here is still in its ledger, and a worker that puts it back
 * enters it again. Promised: a ledger of another form than this program's is read and changed by none of its commands.
 */

import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';

export type RunIndex = {
  add(run: string, target: string, createdAt: Date): Promise<void>;
  /** For a run that was never begun. */
  remove(run: string): Promise<void>;
  targetOf(run: string): Promise<string | null>;
  /** Newest first; `skipped`: so many of the newest are left out. */
  latest(
    limit: number,
    skipped?: number,
  ): Promise<ReadonlyArray<{ readonly run: string; readonly target: string }>>;
};

const BY_TIME = 'onboard:{index}:runs';
const TARGETS = 'onboard:{index}:targets';
const VERSION = 'onboard:{index}:version';

/** The form of what is in Redis that this program writes, and the only one that it reads. */
const LEDGER_VERSION = '5';

type Asked = { exists(key: string): Promise<number>; get(key: string): Promise<string | null> };

/** Throws a UsageError where the ledger was written by a program of another form. One without any run has none yet. */
export async function assertKnownLedger(redis: Asked): Promise<void> {
  // In this order: the first run is added meanwhile perhaps, and its version with it.
  const hasRuns = (await redis.exists(BY_TIME)) === 1;
  const version = await redis.get(VERSION);
  if (version === LEDGER_VERSION || (version === null && !hasRuns)) return;
  const form = version === null ? 'an older form, without a version' : `form ${version}`;
  throw new UsageError(
    `The ledger in this Redis has ${form}; this version of onboard knows form ${LEDGER_VERSION} alone. ` +
      'Nothing was changed. Use the version of onboard that wrote it, or give this one an ONBOARD_HOME or a REDIS_URL of its own; ' +
      'keys that are known there are not known here, so load only files whose rows were never sent.',
  );
}

export function createRunIndex(redis: RedisConnection): RunIndex {
  return {
    async add(run, target, createdAt) {
      // With each run: a Redis that was emptied gets its runs back from journals, and its version with them.
      const entry = redis.multi().setnx(VERSION, LEDGER_VERSION).hset(TARGETS, run, target);
      await entry.zadd(BY_TIME, createdAt.getTime(), run).exec();
    },
    async remove(run) {
      await redis.multi().hdel(TARGETS, run).zrem(BY_TIME, run).exec();
    },
    targetOf: (run) => redis.hget(TARGETS, run),
    async latest(limit, skipped = 0) {
      const runs = await redis.zrevrange(BY_TIME, skipped, skipped + limit - 1);
      const targets = runs.length === 0 ? [] : await redis.hmget(TARGETS, ...runs);
      return runs.flatMap((run, i) => {
        const target = targets[i];
        return target === null || target === undefined ? [] : [{ run, target }];
      });
    },
  };
}
