import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { useOwnRedis } from '../../support/redis.ts';

const DATABASES = 16;

/**
 * Connections to a Redis of the test file's own, one per database, that write what is asked for at once in one go. It
 * writes nothing down: what a Redis forgets is up to the model.
 */
export function useFastRedis(): () => readonly Redis[] {
  const own = useOwnRedis();
  let connections: Redis[] = [];
  beforeAll(async () => {
    await own().redis.config('SET', 'appendonly', 'no');
    const { path } = own().address;
    connections = Array.from(
      { length: DATABASES },
      (_, db) => new Redis(path, { db, enableAutoPipelining: true, maxRetriesPerRequest: null }),
    );
  });
  afterAll(() => {
    for (const redis of connections) redis.disconnect();
  });
  return () => connections;
}
