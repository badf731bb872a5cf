import type { RedisConnection } from '../lib/redis-connection.ts';

/** When the schedule of each job fired last: files that were whole by then may be taken, by any watcher. */
export type Releases = {
  release(job: string, at: Date): Promise<void>;
  /** Job → milliseconds. */
  all(): Promise<ReadonlyMap<string, number>>;
};

/** Durable marks beside the queues of a target. */
export function createReleases(redis: RedisConnection, prefix: string): Releases {
  const key = `${prefix}:released`;
  return {
    async release(job, at) {
      await redis.hset(key, job, at.getTime());
    },
    async all() {
      return new Map(Object.entries(await redis.hgetall(key)).map(([job, ms]) => [job, Number(ms)]));
    },
  };
}
