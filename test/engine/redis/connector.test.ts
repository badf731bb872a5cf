import { appendFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseRedisUrl } from '../../../src/config/redis-address.ts';
import { startChunkWorker } from '../../../src/engine/queue/chunk-worker.ts';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import { assertReachable } from '../../../src/engine/redis/reach.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { ownFile } from '../../support/folder.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { type RedisNode, startRedisNode } from '../../support/redis-node.ts';
import { MASTER_NAME, startRedisGroup } from '../../support/redis-sentinel.ts';
import { listen } from '../../support/server.ts';
import { until } from '../../support/until.ts';

function connect(url: string, passwordFile = '') {
  const refusals: string[] = [];
  const onRefused = ({ message }: Error) => void refusals.push(message);
  const redis = connectRedis(parseRedisUrl(url, passwordFile), () => undefined, onRefused);
  onTestFinished(() => redis.disconnect());
  return { redis, refusals };
}

/** As a server that was set up anew in the other one's place. */
async function replaceBy({ kill, start, folder }: RedisNode, line: string): Promise<void> {
  await kill();
  await rm(join(folder, 'appendonlydir'), { recursive: true });
  await appendFile(join(folder, 'redis.conf'), `${line}\n`);
  await start();
}

const WRITES = /cmdstat_(?!hello|select|info|ping|client|config|command)/;

test('where a server has the database no more, a connection, its duplicate and a worker ask nothing else, and go on once it has', async () => {
  const node = await startRedisNode({ lines: ['databases 20'] });
  const { redis, refusals } = connect(`redis://127.0.0.1:${node.port}/17`);
  if (!(redis instanceof Redis)) throw new Error('it is one server');
  const duplicate = redis.duplicate();
  duplicate.on('error', () => undefined);
  const [connection, onError] = [redis, () => undefined];
  const deliver = async () => 'closed' as const;
  const worker = startChunkWorker({ connection, prefix: 'p', sealOf: async () => CLEAR, deliver, onError });
  onTestFinished(async () => {
    await worker.close();
    duplicate.disconnect();
  });
  await Promise.all([redis.ping(), duplicate.ping()]);
  await replaceBy(node, 'databases 4');
  const writing = Promise.all([redis.set('a', '1'), duplicate.set('b', '2')]);
  await until(() => refusals.length > 10);
  expect(new Set(refusals)).toEqual(new Set(['database 17: ERR DB index is out of range']));
  expect(await node.admin.info('commandstats')).not.toMatch(WRITES);
  await replaceBy(node, 'databases 20');
  expect(await writing).toEqual(['OK', 'OK']);
  expect([await node.admin.dbsize(), await redis.mget('a', 'b')]).toEqual([0, ['1', '2']]);
});

/** Answers one command of its first connection so, and everything else as asked for; hears the names of commands. */
async function startRefusing(name: string, reply: string) {
  const heard: string[][] = [];
  const server = createServer((socket) => {
    const own: string[] = [];
    const isFirst = heard.push(own) === 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (const [, word = ''] of String(bytes).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const command = word.toUpperCase();
        own.push(command);
        const answer = command === 'INFO' ? '$0\r\n' : '+OK';
        socket.write(`${isFirst && command === name ? reply : answer}\r\n`);
      }
    });
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { port, heard };
}

const NO_PASSWORD = '-ERR AUTH <password> called without any password configured for the default user.';

test.each([
  ['AUTH', NO_PASSWORD, true],
  ['AUTH', '-ERR Client sent AUTH, but no password is set', true],
  ['AUTH', "-ERR wrong number of arguments for 'auth' command", true],
  ['AUTH', '-WRONGPASS invalid username-password pair or user is disabled.', true],
  ['AUTH', '-LOADING Redis is loading the dataset in memory', false],
  ['SELECT', '-ERR DB index is out of range', true],
  ['SELECT', "-NOPERM this user has no permissions to run the 'select' command", true],
  ['SELECT', "-ERR unknown command 'SELECT'", true],
  ['SELECT', '-NOAUTH Authentication required.', true],
  ['SELECT', '-BUSY Redis is busy running a script.', false],
  ['SELECT', '-ERR max number of clients reached', false],
])(
  'after %s is answered by "%s" another connection is made, and nothing is asked by that one',
  async (name, reply, lasts) => {
    const { port, heard } = await startRefusing(name, reply);
    const { redis, refusals } = connect(`redis://me:word@127.0.0.1:${port}/2`);
    expect(await redis.set('a', '1')).toBe('OK');
    expect(heard[0]?.filter((one) => one !== 'AUTH' && one !== 'SELECT')).toEqual([]);
    expect(heard[1]).toEqual(expect.arrayContaining(['AUTH', 'SELECT', 'SET']));
    expect(refusals).toEqual(lasts ? [expect.stringContaining(reply.slice(1, 20))] : []);
  },
);

test('a login that the server, or a Sentinel, does not know of is refused at the start', async () => {
  const { port } = await startRedisNode();
  const url = `redis://:word@127.0.0.1:${port}`;
  await expect(assertReachable(parseRedisUrl(url))).rejects.toThrow(/without any password.*right login/);
  const { sentinel } = await startRedisGroup({});
  const address = parseRedisUrl(`redis+sentinel://127.0.0.1:${sentinel.port}/${MASTER_NAME}`);
  if (address.kind !== 'sentinel') throw new Error('it is one of Sentinels');
  await expect(assertReachable(address)).resolves.toBeUndefined();
  const sentinelLogin = { user: null, password: 'word' };
  await expect(assertReachable({ ...address, sentinelLogin })).rejects.toThrow(/Sentinel .*without any/);
});

test('the file with the password is read for each connection', async () => {
  const node = await startRedisNode({ lines: ['requirepass old'], password: 'old' });
  const file = await ownFile('old\n', 'password');
  const { redis, refusals } = connect(`redis://127.0.0.1:${node.port}`, file);
  await redis.set('a', '1');
  await node.admin.config('SET', 'requirepass', 'new');
  await node.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const reading = redis.get('a');
  await until(() => refusals.some((words) => words.startsWith('WRONGPASS')));
  await rm(file);
  await until(() => refusals.some((words) => /The password file .* could not be read/.test(words)));
  await writeFile(file, 'new');
  expect(await reading).toBe('1');
});

test('the nodes of a cluster are logged in by the file, too', async () => {
  const { hosts } = await startRedisCluster({ lines: ['requirepass word'], password: 'word' });
  const { redis } = connect(`redis+cluster://${hosts}`, await ownFile('word', 'password'));
  expect([await redis.set('a', '1'), await redis.get('a')]).toEqual(['OK', '1']);
});

test('what is refused to the user is heard, but for what the program does without', async () => {
  const node = await startRedisNode({
    lines: ['user me on >word ~a nocommands +@connection +eval +get +info'],
  });
  const { redis, refusals } = connect(`redis://me:word@127.0.0.1:${node.port}`);
  const heard = vi.fn();
  for (const asked of [redis.config('GET', 'appendonly'), redis.bgrewriteaof()]) await asked.catch(heard);
  expect([heard.mock.calls.length, refusals]).toEqual([2, []]);
  for (const asked of [
    redis.set('a', '1'),
    redis.get('b'),
    redis.eval("return redis.call('SET', 'a', 1)", 0),
  ])
    await asked.catch(heard);
  expect([heard.mock.calls.length, refusals.length]).toEqual([5, 3]);
});
