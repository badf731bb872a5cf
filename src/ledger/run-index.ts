/**
 * Which target's ledger a run is in, over all targets, so that a run id alone is enough to find it. The index is a convenience beside the
 * ledgers: a run that is missing here is still in its ledger, and a worker that puts it back enters it again.
 */

import type { RedisConnection } from '../lib/redis-connection.ts';

export type RunIndex = {
  add(run: string, target: string, createdAt: Date): Promise<void>;
  /** For a run that was never begun. */
  remove(run: string): Promise<void>;
  targetOf(run: string): Promise<string | null>;
  /** Newest first. */
  latest(limit: number): Promise<ReadonlyArray<{ readonly run: string; readonly target: string }>>;
};

const BY_TIME = 'onboard:{index}:runs';
const TARGETS = 'onboard:{index}:targets';

export function createRunIndex(redis: RedisConnection): RunIndex {
  return {
    async add(run, target, createdAt) {
      await redis.multi().hset(TARGETS, run, target).zadd(BY_TIME, createdAt.getTime(), run).exec();
    },
    async remove(run) {
      await redis.multi().hdel(TARGETS, run).zrem(BY_TIME, run).exec();
    },
    targetOf: (run) => redis.hget(TARGETS, run),
    async latest(limit) {
      const runs = await redis.zrevrange(BY_TIME, 0, limit - 1);
      const targets = runs.length === 0 ? [] : await redis.hmget(TARGETS, ...runs);
      return runs.flatMap((run, i) => {
        const target = targets[i];
        return target === null || target === undefined ? [] : [{ run, target }];
      });
    },
  };
}
