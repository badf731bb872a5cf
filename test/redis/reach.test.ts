import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { assertReachable } from '../../src/redis/reach.ts';
import { useOwnRedis } from '../support/redis.ts';

const own = useOwnRedis();

test('a server that answers is fine', async () => {
  await expect(assertReachable(own().address)).resolves.toBeUndefined();
});

test('a port where nothing listens is named, without the password, with what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  server.close();
  const failed = assertReachable({ kind: 'url', url: `redis://user:secret-word@127.0.0.1:${port}` });
  await expect(failed).rejects.toThrow(new RegExp(`127\\.0\\.0\\.1:${port}.*ECONNREFUSED.*REDIS_URL`));
  await expect(failed).rejects.not.toThrow(/secret-word/);
});

test('a refused password is said', async () => {
  await own().redis.config('SET', 'requirepass', 'right');
  try {
    await expect(assertReachable(own().address)).rejects.toThrow(/NOAUTH/);
  } finally {
    await own().redis.config('SET', 'requirepass', '');
  }
});
