import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../src/config/environment.ts';
import { parseRedisUrl } from '../src/config/redis-address.ts';
import { connectRedis } from '../src/engine/redis/connection.ts';
import { runProgram } from '../src/faces/cli/program.ts';
import { fullDisk, noticeRedis, openLog, prepareHome, type Session } from '../src/session.ts';
import { MemoryStream, memoryIo, onboard } from './faces/cli/memory-io.ts';
import { ownFolder } from './support/folder.ts';
import { startRedisServer } from './support/redis-server.ts';
import { until } from './support/until.ts';

test('a home that does not exist is made and said to be new; the next time it is not', async () => {
  const env = readEnvironment({ ONBOARD_HOME: join(await ownFolder(), 'home') });
  expect([await prepareHome(env), await prepareHome(env)]).toEqual([true, false]);
});

test('a home that can not be a folder is refused before anything is sent', async () => {
  const path = join(await ownFolder(), 'file');
  await writeFile(path, '');
  await expect(prepareHome(readEnvironment({ ONBOARD_HOME: path }))).rejects.toThrow(
    /ONBOARD_HOME .*file can't be used: ENOTDIR/,
  );
});

const FILE = join(import.meta.dirname, '../samples/subclients-create.csv');

test.runIf(existsSync('/proc/self'))('a disk without room is full, and one with room is not', async () => {
  expect(await fullDisk({ home: '/proc' })).toBe(
    "The disk of ONBOARD_HOME (/proc) is full (0 MB free, expected 500 MB or more): make room, rows wait while Redis can't write",
  );
  expect(await fullDisk({ home: await ownFolder() })).toBe(null);
});

/** /proc says that it may be written to, and takes nothing in. */
test.runIf(existsSync('/proc/self')).each([
  ['run', ['run', 'subclients-create', FILE, '--sandbox']],
  ['run, for the service', ['run', 'subclients-create', FILE]],
  ['start', ['start', '--sandbox', '--once']],
  ['work', ['work']],
])('%s ends at once, with one message, where the home can not be made', async (_, args) => {
  const env = { ONBOARD_HOME: '/proc/onboard', MSB_BASE_URL: 'http://127.0.0.1:9', MSB_TOKEN: 't' };
  expect(await onboard(args, env)).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringMatching(
      /^onboard: ONBOARD_HOME \/proc\/onboard can't be used: .*\. Expected a folder .*: set ONBOARD_HOME to one\.\n$/,
    ),
  });
});

test.each(['redis', 'reports', 'journal'])('a file in place of the folder %s is named', async (name) => {
  const home = await ownFolder();
  await writeFile(join(home, name), '');
  const env = { ONBOARD_HOME: home, MSB_BASE_URL: 'http://127.0.0.1:9', MSB_TOKEN: 't' };
  const { exitCode, stderr } = await onboard(['run', 'subclients-create', FILE], env);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(
    new RegExp(`^onboard: ONBOARD_HOME .* can't be used: EEXIST: .*${name}'\\. Expected a folder`, 'm'),
  );
});

const newNotice = (): Session['redisNotice'] => ({ outages: [], isWaitedOut: true });

test('whoever only looks does not wait for a Redis until somebody has made room', async () => {
  const server = await startRedisServer();
  await server.redis.ping();
  const given: unknown[] = [];
  const io = { ...memoryIo(), giveUp: (why: Error) => void given.push(why.message) };
  const problem = async () => 'the disk is full';
  const of = { name: 'redis.internal:6379', problem };
  const end = noticeRedis(io, server.redis, of, { outages: [], isWaitedOut: false });
  await server.kill();
  await until(() => given.length > 0);
  end();
  expect([given, io.stderr.text]).toEqual([['the disk is full'], '']);
});

test('a Redis that is away is named once, however often it is tried, and so is its return', async () => {
  const server = await startRedisServer();
  await server.redis.ping();
  const io = memoryIo();
  const notice = newNotice();
  const end = noticeRedis(io, server.redis, { name: 'redis.internal:6379' }, notice);
  await server.kill();
  await until(() => io.stderr.text.includes('away'));
  await server.start();
  await until(() => io.stderr.text.includes('back'));
  end();
  const lasted = notice.outages.map(({ from, until: end }) => end.getTime() - from.getTime());
  expect(lasted).toHaveLength(1);
  expect(lasted[0]).toBeGreaterThanOrEqual(3_000);
  expect(io.stderr.text).toMatch(
    /^Redis at redis\.internal:6379 is away or takes no writes since \d\d:\d\d:\d\d UTC: nothing is sent meanwhile, and it goes on by itself\.\nRedis is back\.\n$/,
  );
});

test('a Redis that answers and takes no writes is told too', async () => {
  const server = await startRedisServer();
  await server.redis.replicaof('127.0.0.1', 1);
  const redis = connectRedis(parseRedisUrl(server.url), () => undefined);
  onTestFinished(() => redis.disconnect());
  const io = memoryIo();
  const end = noticeRedis(io, redis, { name: 'redis.internal:6379' }, newNotice());
  const written = redis.set('a', '1');
  await until(() => io.stderr.text.includes('takes no writes'));
  await server.redis.replicaof('NO', 'ONE');
  expect(await written).toBe('OK');
  await until(() => io.stderr.text.includes('back'));
  end();
  expect(io.stderr.text.match(/is away/g)).toHaveLength(1);
});

test('one that is back in a moment is not spoken of', async () => {
  const server = await startRedisServer();
  await server.redis.ping();
  const io = memoryIo();
  const end = noticeRedis(io, server.redis, { name: 'redis.internal:6379' }, newNotice());
  await server.kill();
  await server.start();
  await server.redis.ping();
  end();
  expect(io.stderr.text).toBe('');
});

/** A home, a file and a Redis that evicts. */
async function ownStart() {
  const folder = await ownFolder();
  const file = join(folder, 'a.csv');
  await writeFile(file, 'externalId,details.name\nK1,Company 1\n');
  const { url, redis } = await startRedisServer({ appendonly: 'yes', 'maxmemory-policy': 'allkeys-lru' });
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

test('a Redis that is full when a run is to begin is told with what to do', async () => {
  const { file, redis, env } = await ownStart();
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  await redis.config('SET', 'maxmemory', '1mb');
  const said = await onboard(['run', 'subclients-create', file], env);
  expect([said.exitCode, said.stderr]).toEqual([
    3,
    expect.stringMatching(
      /^onboard: Redis is full \(maxmemory\): raise maxmemory, and give the command again/m,
    ),
  ]);
});

test('with --accept-redis-settings it starts, and warns', async () => {
  const { env } = await ownStart();
  const stop = new AbortController();
  stop.abort();
  const io = memoryIo({ env, interrupted: stop.signal });
  expect(await runProgram(['work', '--accept-redis-settings'], io)).toBe(4);
  expect(io.stderr.text).toMatch(/^warning: Redis: maxmemory-policy is allkeys-lru/m);
});

test.each([
  [true, { NO_COLOR: '1' }, 'warning: no place: disk full\n'],
  [true, { LOG_LEVEL: 'warn' }, '{"level":40,'],
  [false, {}, '{"level":40,'],
])('on a terminal (%s) with %j the log begins with %s', (isTTY, env, expected) => {
  const io = { ...memoryIo({ env }), stderr: new MemoryStream(isTTY) };
  const log = openLog(readEnvironment(env), io);
  log.warn('redis connection', { problem: 'away' });
  log.error('no place', { problem: 'disk full' });
  expect(io.stderr.text.slice(0, expected.length)).toBe(expected);
});
