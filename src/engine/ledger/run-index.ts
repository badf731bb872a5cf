/**
 * Which target's ledger a run is in, over all targets, so that a run id alone finds it, and the
 * form of all these ledgers. A run that is missing here is still in its ledger; a worker that puts
 * it back enters it again. Promised: no command reads or changes a ledger of another form.
 */

import type { RedisConnection } from '../../lib/redis-connection.ts';
import { UsageError } from '../../lib/usage-error.ts';

export type RunIndex = ReturnType<typeof createRunIndex>;

const BY_TIME = 'onboard:{index}:runs';
const TARGETS = 'onboard:{index}:targets';
const VERSION = 'onboard:{index}:version';

/** The only form that this program reads and writes. */
const LEDGER_VERSION = '10';

type Asked = { exists(key: string): Promise<number>; get(key: string): Promise<string | null> };

/**
 * Throws a UsageError for another form. A ledger without runs has none yet. Answers whether there
 * are any.
 */
export async function assertKnownLedger(redis: Asked): Promise<boolean> {
  // In this order: a first run that is added meanwhile brings its version along.
  const hasRuns = (await redis.exists(BY_TIME)) === 1;
  const version = await redis.get(VERSION);
  if (version === LEDGER_VERSION || (version === null && !hasRuns)) return hasRuns;
  const form = version === null ? 'an older form, without a version' : `form ${version}`;
  throw new UsageError(
    `The ledger in this Redis has ${form}; this version of onboard knows form ${LEDGER_VERSION} alone. ` +
      'Nothing was changed. Use the version of onboard that wrote it, ' +
      'or give this one an ONBOARD_HOME or a REDIS_URL of its own; ' +
      'keys that are known there are not known here, so load only files whose rows were never sent.',
  );
}

export function createRunIndex(redis: RedisConnection) {
  return {
    async add(run: string, target: string, createdAt: Date): Promise<void> {
      // With each run: an emptied Redis gets its runs, and so its version, back from journals.
      const entry = redis.multi().setnx(VERSION, LEDGER_VERSION).hset(TARGETS, run, target);
      await entry.zadd(BY_TIME, createdAt.getTime(), run).exec();
    },
    /** For a run that was never begun. */
    async remove(run: string): Promise<void> {
      await redis.multi().hdel(TARGETS, run).zrem(BY_TIME, run).exec();
    },
    targetOf: (run: string) => redis.hget(TARGETS, run),
    /** Newest first, without the newest `skipped`. */
    async latest(limit: number, skipped = 0) {
      const runs = await redis.zrevrange(BY_TIME, skipped, skipped + limit - 1);
      const targets = runs.length === 0 ? [] : await redis.hmget(TARGETS, ...runs);
      return runs.flatMap((run, i) => {
        const target = targets[i];
        return target === null || target === undefined ? [] : [{ run, target }];
      });
    },
  };
}
