import { expect, test } from 'vitest';
import { checkRedis, judgeMemory, judgeSkew } from '../../src/cli/doctor-redis.ts';
import type { RedisSettings } from '../../src/redis/settings.ts';
import { startRedisServer } from '../support/redis-server.ts';

const memory = (usedMemoryBytes: number | null, maxMemoryBytes: number | null): RedisSettings => ({
  version: null,
  appendOnly: null,
  evictionPolicy: null,
  fsync: null,
  usedMemoryBytes,
  maxMemoryBytes,
  fencing: null,
});

test.each([
  ['no limit', memory(5_000_000, 0), ['ok']],
  ['80 %', memory(80_000_000, 100_000_000), ['ok']],
  ['more than 80 %', memory(81_000_000, 100_000_000), ['warning']],
  ['not told', memory(null, null), []],
])('memory, %s', (_, settings, expected) => {
  expect(judgeMemory(settings).map(({ status }) => status)).toEqual(expected);
});

test.each([
  [0, 'ok', /agree/],
  [-5_000, 'ok', /agree/],
  [5_600, 'warning', /6 s behind/],
  [-60_000, 'warning', /60 s ahead of/],
])('a clock %i ms off: %s', (skew, status, finding) => {
  expect(judgeSkew(skew)).toMatchObject({ status, finding: expect.stringMatching(finding) });
});

test('settings that a run refuses are problems, or warnings where they are accepted', async () => {
  const { redis } = await startRedisServer({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
  const statuses = async (accepted: boolean) =>
    (await checkRedis(redis, 'redis://here', accepted)).map(({ check, status }) => `${check} ${status}`);
  const rest = ['redis memory ok', 'clock ok'];
  expect(await statuses(false)).toEqual([
    'redis ok',
    'redis settings problem',
    'redis settings problem',
    ...rest,
  ]);
  expect(await statuses(true)).toEqual([
    'redis ok',
    'redis settings warning',
    'redis settings warning',
    ...rest,
  ]);
});
