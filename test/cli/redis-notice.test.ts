import { expect, test } from 'vitest';
import { noticeRedis } from '../../src/cli/redis-notice.ts';
import { until } from '../support/flow.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { memoryIo } from './memory-io.ts';

test('a Redis that is away is named once, however often it is tried, and so is its return', async () => {
  const server = await startRedisServer();
  await server.redis.ping();
  const io = memoryIo();
  const end = noticeRedis(io, server.redis, 'redis.internal:6379');
  await server.kill();
  await until(() => io.stderr.text.includes('away'));
  await server.start();
  await until(() => io.stderr.text.includes('back'));
  end();
  expect(io.stderr.text).toMatch(
    /^Redis at redis\.internal:6379 is away since \d\d:\d\d:\d\d UTC: nothing is sent meanwhile, and it goes on by itself\.\nRedis is back\.\n$/,
  );
});

test('one that is back in a moment is not spoken of', async () => {
  const server = await startRedisServer();
  await server.redis.ping();
  const io = memoryIo();
  const end = noticeRedis(io, server.redis, 'redis.internal:6379');
  await server.kill();
  await server.start();
  await server.redis.ping();
  end();
  expect(io.stderr.text).toBe('');
});
