import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { connectRedis } from '../../src/engine/redis/connection.ts';
import { joinEmbeddedRedis } from '../../src/engine/redis/embedded.ts';

export type OwnRedis = {
  readonly redis: Redis;
  readonly address: Awaited<ReturnType<typeof joinEmbeddedRedis>>['address'];
  readonly url: string;
};

/** A Redis of the test file's own, as the program starts it; it ends with the file. */
export function useOwnRedis(): () => OwnRedis {
  let own: OwnRedis | null = null;
  let close = async () => {};
  beforeAll(async () => {
    const home = await mkdtemp(join(tmpdir(), 'onboard-test-'));
    const server = await joinEmbeddedRedis(home);
    const { address } = server;
    const redis = connectRedis(address, () => undefined);
    own = { redis, address, url: `unix://${encodeURI(address.path)}` };
    close = async () => {
      redis.disconnect();
      await server.close();
      await rm(home, { recursive: true, force: true });
    };
  });
  afterAll(() => close());
  return () => {
    if (own === null) throw new Error('the test has not begun');
    return own;
  };
}
