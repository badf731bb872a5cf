import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { startRedisServer } from '../support/redis-server.ts';

const GOOD = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' };

async function runOn(settings: Readonly<Record<string, string>>) {
  const flow = await startFlow();
  const { url, redis } = await startRedisServer({ ...GOOD, ...settings });
  const file = await flow.file('a.csv', subclientsCsv(30));
  const run = (...flags: string[]) =>
    flow.onboard(['run', 'subclients-create', file, ...flags], { REDIS_URL: url });
  return { flow, redis, run };
}

test.each([
  ['evicts', { 'maxmemory-policy': 'allkeys-lru' }, 'maxmemory-policy is allkeys-lru, expected noeviction'],
  ['keeps no append-only file', { appendonly: 'no' }, 'appendonly is no, expected yes'],
])(
  'a Redis that %s is refused before anything is registered or sent, and taken when the user says so',
  async (_, settings, problem) => {
    const { flow, redis, run } = await runOn(settings);
    const refused = await run();
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain(problem);
    expect(refused.stderr).toContain('--accept-redis-settings');
    expect(await redis.keys('onboard:*runs*')).toEqual([]);
    expect(flow.sandbox.stats().requests).toEqual({});

    const accepted = await run('--accept-redis-settings');
    expect([accepted.exitCode, accepted.stderr]).toEqual([
      0,
      expect.stringContaining(`warning: Redis: ${problem}`),
    ]);
    expect(flow.sandbox.stats().made.subclients).toBe(30);
  },
);

test('a Redis that may lose its last second is taken with a warning that says so', async () => {
  const { flow, run } = await runOn({ appendfsync: 'everysec' });
  const ended = await run();
  expect([ended.exitCode, ended.stderr]).toEqual([
    0,
    expect.stringContaining('appendfsync is everysec, expected always'),
  ]);
  expect(flow.sandbox.stats().made.subclients).toBe(30);
});

test('a Redis with the settings it is wanted with gives no warning', async () => {
  const { run } = await runOn({});
  const ended = await run();
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).not.toContain('warning');
});
