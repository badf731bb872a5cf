import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import { joinEmbeddedRedis } from '../../../src/engine/redis/embedded.ts';
import { REMOVED } from '../../../src/engine/redis/lease.ts';
import { wayToSocket } from '../../../src/engine/redis/server-process.ts';
import { ownFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

type EmbeddedRedis = Awaited<ReturnType<typeof joinEmbeddedRedis>>;
type EmbeddedOptions = NonNullable<Parameters<typeof joinEmbeddedRedis>[1]>;

const A = { host: 'box-a', boot: 'aaaaaaaa', pidSpace: '1' };
const B = { host: 'box-b', boot: 'bbbbbbbb', pidSpace: '1' };
const C = { host: 'box-b', boot: 'bbbbbbbb', pidSpace: '2' };
const BEAT_MS = 20;
/** No heartbeat comes while the test lasts: the machine is gone, or stands still. */
const STILL = { beatMs: 3_600_000 };

let home: string;
beforeEach(async () => {
  home = await ownFolder();
});

async function joinAs(
  machine: NonNullable<EmbeddedOptions['machine']>,
  over: EmbeddedOptions = {},
): Promise<EmbeddedRedis> {
  const server = await joinEmbeddedRedis(home, { machine, beatMs: BEAT_MS, ...over });
  onTestFinished(() => server.close());
  return server;
}

function connect(server: EmbeddedRedis): Redis {
  const redis = connectRedis(server.address, () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

const pidOf = async (redis: Redis) => Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);

async function kill(redis: Redis): Promise<void> {
  process.kill(await pidOf(redis), 'SIGKILL');
  await until(() => redis.status !== 'ready');
  redis.disconnect();
}

/** As on another machine: the socket of the holder's server lies in the folder, and nobody listens there. */
async function cutOff(server: EmbeddedRedis): Promise<void> {
  await rm(server.address.path);
}

describe('a home that another machine has', () => {
  test('is refused with the way out while it is used there, and works there as before', async () => {
    const a = connect(await joinAs(A));
    await a.set('a', '1');
    await expect(joinAs(B)).rejects.toThrow(/in use on another machine or container \(box-a\).*REDIS_URL/);
    expect(await a.get('a')).toBe('1');
  });

  test('is refused by its heartbeat where its server can not be reached, whatever the clocks say', async () => {
    const server = await joinAs(A);
    const a = connect(server);
    await a.set('a', '1');
    await cutOff(server);
    const lease = join(dirname(server.address.path), 'lease');
    await utimes(lease, 0, 0);
    await expect(joinAs(B)).rejects.toThrow(/renewed a moment ago/);
    await utimes(lease, 4e9, 4e9);
    await expect(joinAs(C)).rejects.toThrow(/renewed a moment ago/);
    expect(await server.isOurs()).toBe(true);
    expect(await a.get('a')).toBe('1');
  });

  test('is refused where nobody there uses its server any more, which still listens', async () => {
    await joinAs(A, STILL);
    await expect(joinAs(B)).rejects.toThrow(/its server holds the socket/);
  });

  test('is taken with its data when nothing was heard of it for long', async () => {
    const said: string[] = [];
    const a = connect(await joinAs(A, STILL));
    await a.set('a', '1');
    await kill(a);
    const b = await joinAs(B, { tell: (text) => said.push(text) });
    expect(await connect(b).get('a')).toBe('1');
    expect(said).toEqual([expect.stringMatching(/box-a\) has had this home; waiting/)]);
  });

  test('is taken at once when it was left in order', async () => {
    const a = await joinEmbeddedRedis(home, { machine: A });
    const redis = connect(a);
    await redis.set('a', '1');
    redis.disconnect();
    await a.close();
    const b = await joinAs(B, STILL);
    expect(await connect(b).get('a')).toBe('1');
    expect(await readdir(join(home, 'redis'))).toEqual(['2', 'redis.log']);
  });

  test('is taken by one of two at once', async () => {
    const a = connect(await joinAs(A, STILL));
    await a.set('a', '1');
    await kill(a);
    const tries = await Promise.allSettled([joinAs(B), joinAs(C)]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const one of tries)
      if (one.status === 'fulfilled') expect(await connect(one.value).get('a')).toBe('1');
  });

  test('is not taken from one who still copies its data, however long that takes', async () => {
    const a = connect(await joinAs(A, STILL));
    await a.set('a', '1');
    await kill(a);
    const names = Array.from({ length: 500 }, (_, n) => join(home, 'redis', '1', 'appendonlydir', `${n}`));
    await Promise.all(names.map((name) => writeFile(name, '')));
    const b = joinAs(B);
    await until(() => existsSync(join(home, 'redis', '2', 'appendonlydir.part')));
    await expect(joinAs(C)).rejects.toThrow(/renewed a moment ago/);
    expect(await connect(await b).get('a')).toBe('1');
  });

  test('is taken with its data where an earlier taker was killed before it had them', async () => {
    const a = connect(await joinAs(A, STILL));
    await a.set('a', '1');
    await kill(a);
    await rm(join(home, 'redis', '1', 'lease'));
    await mkdir(join(home, 'redis', '2', 'appendonlydir.part'), { recursive: true });
    expect(await connect(await joinAs(C)).get('a')).toBe('1');
    expect(await readdir(join(home, 'redis'))).toContain('3');
  });
});

test('a machine that stood still while its home was taken is told, may send nothing, and its writes reach nobody', async () => {
  const server = await joinEmbeddedRedis(home, { machine: A, ...STILL });
  const a = connect(server);
  await a.set('a', '1');
  await cutOff(server);
  const b = await joinAs(B);
  expect(await server.isOurs()).toBe(false);
  await a.set('a', '2');
  await expect(server.revive()).rejects.toThrow(/has taken this ONBOARD_HOME/);
  expect(await connect(b).get('a')).toBe('1');
  // Its server, which nobody can reach by its name any more, ends with the last that used it.
  await server.close();
  await until(() => a.status !== 'ready');
  a.disconnect();
  expect(await connect(b).get('a')).toBe('1');
});

test.each([
  ['was taken', (folder: string) => mkdir(join(dirname(folder), '2'))],
  ['was given back', (folder: string) => writeFile(join(folder, 'released'), '')],
])(
  'that a home %s is told at the first heartbeat that finds no lease: a run may end before the next',
  async (_, change) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const lost: string[] = [];
    const server = await joinAs(A, { onLost: (why) => lost.push(why) });
    const folder = dirname(server.address.path);
    await change(folder);
    await rm(join(folder, 'lease'));
    vi.advanceTimersByTime(BEAT_MS);
    await until(() => lost.length > 0);
    expect(lost).toEqual([expect.stringContaining('has taken this ONBOARD_HOME')]);
  },
  5_000,
);

test('a home that was removed is told from one that was taken: there the same command would send every row again', async () => {
  const lost: string[] = [];
  const given = { machine: A, beatMs: BEAT_MS, onLost: (why: string) => lost.push(why) };
  const redis = connect(await joinEmbeddedRedis(home, given));
  onTestFinished(async () => void process.kill(await pidOf(redis), 'SIGKILL'));
  await rm(join(home, 'redis'), { recursive: true });
  await until(() => lost.length > 0);
  expect(lost).toEqual([REMOVED]);
});

describe('the folder of the server', () => {
  test('and its files are for its user alone, also under a lax umask', async () => {
    const before = process.umask(0);
    try {
      const server = await joinAs(A);
      await connect(server).set('a', '1');
      const folder = dirname(server.address.path);
      const names = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = names
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
      expect(files.some((path) => path.includes('appendonlydir'))).toBe(true);
      for (const path of files) expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o600]);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  test('that is open to others is refused, whoever says that it is this machine’s', async () => {
    const server = await joinAs(A);
    await chmod(dirname(server.address.path), 0o770);
    await expect(joinAs(A)).rejects.toThrow(/is open to other users.*chmod 700/);
  });

  test('where everybody may put another in its place is refused', async () => {
    await mkdir(join(home, 'redis'));
    await chmod(join(home, 'redis'), 0o777);
    await expect(joinAs(A)).rejects.toThrow(/is open to other users/);
  });

  test.runIf(process.getuid?.() === 0)('that belongs to somebody else is refused', async () => {
    await mkdir(join(home, 'redis'));
    await chown(join(home, 'redis'), 4242, 4242);
    await expect(joinAs(A)).rejects.toThrow(/belongs to user 4242/);
  });

  test('that is a link is refused', async () => {
    const folder = dirname((await joinAs(A)).address.path);
    const elsewhere = join(home, 'elsewhere');
    await rename(folder, elsewhere);
    await symlink(elsewhere, folder);
    await expect(joinAs(A)).rejects.toThrow(/is a link, or no folder/);
    await rm(folder);
    await rename(elsewhere, folder);
  });
});

test('a home whose path is too long for a socket is refused with the limit', () => {
  expect(() => wayToSocket(join(home, 'x'.repeat(120)))).toThrow(/too long for a socket.*at most 100 bytes/);
});
