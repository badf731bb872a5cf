import { Redis } from 'ioredis';
import { joinEmbeddedRedis } from '../../src/engine/redis/embedded.ts';
import type { Flow } from './flow.ts';
import { setRecord, storedRun } from './stored.ts';

/** In the flow's Redis, also where it is the program's own. */
export async function withRedis<T>(flow: Flow, work: (redis: Redis) => Promise<T>): Promise<T> {
  const server = flow.redisUrl === '' ? await joinEmbeddedRedis(flow.home) : null;
  const redis = new Redis(server?.address.path ?? flow.redisUrl);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
    await server?.close();
  }
}

/** As if the run had ended 100 days ago. */
export async function makeOld(flow: Flow, ...runs: readonly string[]): Promise<void> {
  await withRedis(flow, async (redis) => {
    const old = new Date(Date.now() - 100 * 86_400_000).toISOString();
    for (const run of runs) await setRecord(redis, await storedRun(redis, run), { finishedAt: old });
  });
}
