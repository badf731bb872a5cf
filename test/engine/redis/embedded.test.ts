import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import { joinEmbeddedRedis, problemOfDisk, reviveOnLoss } from '../../../src/engine/redis/embedded.ts';
import { endServer, serverProcess, startServer } from '../../../src/engine/redis/server-process.ts';
import { ownFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

type EmbeddedRedis = Awaited<ReturnType<typeof joinEmbeddedRedis>>;

async function join1(home: string): Promise<EmbeddedRedis> {
  const server = await joinEmbeddedRedis(home);
  onTestFinished(() => server.close());
  return server;
}

function connect(server: EmbeddedRedis): Redis {
  const redis = connectRedis(server.address, () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

test('it is append-only with fsync always, noeviction, on a socket only its user can reach', async () => {
  const redis = connect(await join1(await ownFolder()));
  const settings = await redis.config('GET', 'append*', 'maxmemory-policy', 'port', 'unixsocketperm');
  const pairs = Array.isArray(settings) ? settings : Object.entries(settings ?? {}).flat();
  const of = (name: string) => String(pairs[pairs.indexOf(name) + 1]);
  expect({
    aof: of('appendonly'),
    fsync: of('appendfsync'),
    policy: of('maxmemory-policy'),
    port: of('port'),
  }).toEqual({ aof: 'yes', fsync: 'always', policy: 'noeviction', port: '0' });
});

test('a machine that was given another name meanwhile starts its server under the lock it had before', async () => {
  const home = await ownFolder();
  const lockOf = async (host: string) => {
    const joining = joinEmbeddedRedis(home, { machine: { host, boot: 'aaaaaaaa', pidSpace: '1' } });
    let locks: string[] = [];
    try {
      await until(async () => {
        const names = await readdir(join(home, 'redis')).catch(() => []);
        locks = names.filter((name) => name.startsWith('lock-'));
        return locks.length > 0;
      });
    } finally {
      await (await joining).close();
    }
    return locks;
  };
  const before = await lockOf('box');
  expect(await lockOf('box.example')).toEqual(before);
});

const OTHER = fileURLToPath(new URL('../../support/join-and-wait.mjs', import.meta.url));

/** Another process on the same home, once it has joined. */
async function otherProcess(home: string) {
  const child = startOther(home);
  await once(child.stdout, 'data');
  return child;
}

function startOther(home: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [...args, OTHER, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a killed owner leaves a server that the next command joins and stops at its end', async () => {
  const home = await ownFolder();
  const owner = await otherProcess(home);
  const ended = once(owner, 'exit');
  owner.kill('SIGKILL');
  await ended;
  const next = await joinEmbeddedRedis(home);
  const redis = connectRedis(next.address, () => undefined);
  await redis.set('a', '1');
  redis.disconnect();
  await next.close();
  expect(await readdir(join(dataFolder(next), 'users'))).toEqual([]);
  expect(await answers(next)).toBe(false);
});

test('a server that was killed itself is started again with its data', async () => {
  const home = await ownFolder();
  const first = await join1(home);
  const redis = connect(first);
  await redis.set('a', '1');
  const pid = await pidOf(redis);
  redis.disconnect();
  process.kill(pid, 'SIGKILL');
  while (await answers(first)) await new Promise((resolve) => setImmediate(resolve));
  expect(await connect(await join1(home)).get('a')).toBe('1');
});

/** Where its server writes; the path of its socket is spelled. */
function dataFolder({ address }: EmbeddedRedis): string {
  return dirname(address.path);
}

async function pidOf(redis: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
}

/** A connection whose process has the server revived, as a command's has. */
function connectReviving(server: EmbeddedRedis): Redis {
  const redis = connect(server);
  const reviving = reviveOnLoss(redis, server.revive, () => undefined);
  onTestFinished(() => reviving.stop());
  return redis;
}

test('killed while it is in use it is revived: the same connection goes on, and everything confirmed is there', async () => {
  const redis = connectReviving(await join1(await ownFolder()));
  for (let round = 1; round <= 3; round += 1) {
    await redis.set(`a${round}`, round);
    const pid = await pidOf(redis);
    process.kill(pid, 'SIGKILL');
    expect(await redis.mget('a1', `a${round}`)).toEqual(['1', String(round)]);
    expect(await pidOf(redis)).not.toBe(pid);
  }
}, 10_000);

test('killed for the fifth time within a minute it is given up, with the signal', async () => {
  const told: string[] = [];
  const onGivenUp = (why: string) => void told.push(why);
  const server = await joinEmbeddedRedis(await ownFolder(), { onGivenUp });
  onTestFinished(() => server.close());
  const redis = connectReviving(server);
  for (let round = 1; round <= 5; round += 1) process.kill(await pidOf(redis), 'SIGKILL');
  await until(() => told.length > 0);
  expect(told[0]).toMatch(/ended 5 times within a minute, and is given up: it ended with SIGKILL/);
  expect(await answers(server)).toBe(false);
});

test('revived by several at once there is one server', async () => {
  const home = await ownFolder();
  const [one, two] = await Promise.all([join1(home), join1(home)]);
  const redis = connect(one);
  const other = connect(two);
  process.kill(await pidOf(redis), 'SIGKILL');
  await until(async () => (await Promise.all([one.revive(), two.revive(), one.revive()])).every(Boolean));
  expect(await pidOf(redis)).toBe(await pidOf(other));
});

test('started by two at once, each of which saw none, there is one server', async () => {
  const folder = join(await ownFolder(), '1');
  await mkdir(folder);
  const start = () => startServer(folder, { mayStart: () => true, tell: () => undefined });
  try {
    expect((await Promise.all([start(), start()])).toSorted()).toEqual([false, true]);
  } finally {
    const server = serverProcess(folder);
    if (server !== null) endServer(folder, server, 'SIGKILL');
  }
});

/** Preloaded: the process stops behind its first call of that function of fs.promises for such a path. */
function stopAfter(call: 'access' | 'readdir', path: string): string {
  const code = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const real = fs.${call};
    let isStopped = false;
    fs.${call} = async (path, ...rest) => {
      const answer = await real(path, ...rest);
      if (isStopped || !String(path).endsWith('${path}')) return answer;
      isStopped = true;
      process.kill(process.pid, 'SIGSTOP');
      return answer;
    };
    syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** Once it stands still, with the lock of the home, which any other may take from then on: as if it had stood still for long. */
async function stoodStill(child: ChildProcess, home: string): Promise<void> {
  const status = `/proc/${child.pid}/stat`;
  await until(async () => (await readFile(status, 'utf8').catch(() => '')).includes(') T '));
  for (const name of await readdir(join(home, 'redis')))
    if (name.startsWith('lock-')) await utimes(join(home, 'redis', name), 0, 0);
}

describe.runIf(process.platform === 'linux')('a command that stood still', () => {
  test('just before it started the server joins the one that is there by then', async () => {
    const home = await ownFolder();
    const other = startOther(home, [stopAfter('access', '-server')]);
    await stoodStill(other, home);
    const mine = await join1(home);
    const pid = await pidOf(connect(mine));
    const joined = once(other.stdout, 'data');
    other.kill('SIGCONT');
    await joined;
    expect(await pidOf(connect(mine))).toBe(pid);
    // The last to leave ends the server.
    const ended = once(other, 'exit');
    other.stdin.end();
    await ended;
  });

  test('just before it ended the server does not give back a home that is in use by then', async () => {
    const home = await ownFolder();
    const other = startOther(home, [stopAfter('readdir', '/users')]);
    await once(other.stdout, 'data');
    other.stdin.end();
    await stoodStill(other, home);
    const mine = await join1(home);
    const redis = connectReviving(mine);
    await redis.set('a', '1');
    const ended = once(other, 'exit');
    other.kill('SIGCONT');
    await ended;
    expect(await mine.isOurs()).toBe(true);
    expect(await redis.get('a')).toBe('1');
  });
});

test('a server that is stopped is not replaced: it is waited for, and goes on with what it had', async () => {
  const home = await ownFolder();
  const server = await join1(home);
  const redis = connect(server);
  await redis.set('a', '1');
  const pid = await pidOf(redis);
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await server.revive()).toBe(false);
    // Not even where its socket was taken away, by a cleaner of /tmp for example.
    if (server.address.kind === 'socket') await rm(server.address.path);
    expect(await server.revive()).toBe(false);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect([await redis.get('a'), await pidOf(redis)]).toEqual(['1', pid]);
  process.kill(pid, 'SIGTERM');
});

test('a process id that has passed to another program does not keep a server from being started', async () => {
  const home = await ownFolder();
  const first = await join1(home);
  const pid = await pidOf(connect(first));
  process.kill(pid, 'SIGKILL');
  await until(async () => !(await answers(first)));
  await writeFile(join(dataFolder(first), 'redis.pid'), String(process.pid));
  expect(await connect(await join1(home)).ping()).toBe('PONG');
});

async function answers(server: EmbeddedRedis): Promise<boolean> {
  const path = server.address.kind === 'socket' ? server.address.path : '';
  const probe = new Redis(path, { lazyConnect: true, retryStrategy: () => null });
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return true;
  } catch {
    return false;
  } finally {
    probe.disconnect();
  }
}

const START = '7:C * oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo\n';
const SHORT = '7:M # Short write while writing to the AOF file: (nwritten=3, expected=9)\n';

test('a full disk is named as what keeps the server from going on; what an earlier server said of it is past', async () => {
  const folder = await ownFolder();
  expect(await problemOfDisk(folder)).toBe(null);
  await appendFile(join(folder, 'redis.log'), START + SHORT);
  expect(await problemOfDisk(folder)).toMatch(
    /the disk of ONBOARD_HOME is full .* once somebody has made room/,
  );
  await appendFile(join(folder, 'redis.log'), START);
  expect(await problemOfDisk(folder)).toBe(null);
});
