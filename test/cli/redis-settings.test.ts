import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { memoryIo, onboard } from './memory-io.ts';

/** A home, a file and a Redis that evicts. */
async function ownStart() {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-settings-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'a.csv');
  await writeFile(file, 'externalId,details.name\nK1,Company 1\n');
  const { url, redis } = await startRedisServer({ 'maxmemory-policy': 'allkeys-lru' });
  const env = {
    ONBOARD_HOME: join(folder, 'home'),
    ONBOARD_JOBS: 'jobs',
    MSB_BASE_URL: 'http://127.0.0.1:9',
    MSB_TOKEN: 't',
    REDIS_URL: url,
  };
  return { file, redis, env };
}

test('run and work refuse a Redis that evicts, before a run is registered', async () => {
  const { file, redis, env } = await ownStart();
  for (const args of [['run', 'subclients-create', file], ['work']]) {
    const said = await onboard(args, env);
    expect(said.exitCode).toBe(3);
    expect(said.stderr).toMatch(/onboard: Redis: maxmemory-policy is allkeys-lru, expected noeviction/);
    expect(said.stderr).toMatch(/To go on regardless.*--accept-redis-settings/);
  }
  expect(await redis.keys('onboard:*runs*')).toEqual([]);
});

test.each([
  ['the flag', ['--accept-redis-settings'], {}],
  ['the environment', [], { ONBOARD_ACCEPT_REDIS_SETTINGS: '1' }],
])('with %s it starts, and warns', async (_, flags, accepted) => {
  const { env } = await ownStart();
  const stop = new AbortController();
  stop.abort();
  const io = memoryIo({ env: { ...env, ...accepted }, interrupted: stop.signal });
  expect(await runProgram(['work', ...flags], io)).toBe(4);
  expect(io.stderr.text).toMatch(/^warning: Redis: maxmemory-policy is allkeys-lru/m);
});
