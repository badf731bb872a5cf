import { expect, onTestFinished, test } from 'vitest';
import { parseRedisUrl } from '../../../src/config/redis-address.ts';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import {
  acceptSettings,
  judgeSettings,
  type RedisSettings,
  readSettings,
} from '../../../src/engine/redis/settings.ts';
import { startBusyRedis } from '../../support/busy-redis.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { MASTER_NAME, startRedisGroup } from '../../support/redis-sentinel.ts';
import { startRedisServer } from '../../support/redis-server.ts';

const FORGETFUL = { appendonly: 'no', 'maxmemory-policy': 'allkeys-lru', maxmemory: '64mb' };

test('a server that forgets is refused with every reason and the way to go on; accepted, the reasons are warnings', async () => {
  const { redis } = await startRedisServer(FORGETFUL);
  expect(await readSettings(redis)).toMatchObject({
    version: expect.stringMatching(/^\d+\./),
    values: { appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' },
    maxMemoryBytes: 64 * 1024 * 1024,
  });
  const reasons = [
    expect.stringMatching(/^Redis: maxmemory-policy is allkeys-lru.*CONFIG SET maxmemory-policy noeviction/),
    expect.stringMatching(/^Redis: appendonly is no.*CONFIG SET appendonly yes/),
  ];
  await expect(acceptSettings(redis, false)).rejects.toMatchObject({
    name: 'UsageError',
    problems: [...reasons, expect.stringContaining('--accept-redis-settings')],
  });
  expect(await acceptSettings(redis, true)).toEqual(reasons);
});

test('a user who may neither have the append-only file written anew nor see that a torn one is refused is told both ways out', async () => {
  const { redis, url } = await startRedisServer();
  await redis.call('ACL', 'SETUSER', 'loader', 'on', '>word', '~*', '&*', '+@all', '-bgrewriteaof');
  const limited = connect(url.replace('redis://', 'redis://loader:word@'));
  await expect(acceptSettings(limited, false)).rejects.toThrow(
    /^Redis: aof-load-truncated is yes, expected no, or the right to BGREWRITEAOF .*\+bgrewriteaof\).*`CONFIG SET aof-load-truncated no`/,
  );
  await redis.config('SET', 'aof-load-truncated', 'no');
  expect(await acceptSettings(limited, false)).toEqual([]);
  await redis.config('SET', 'aof-load-truncated', 'yes');
  await redis.call('ACL', 'SETUSER', 'loader', '+bgrewriteaof');
  expect(await acceptSettings(limited, false)).toEqual([]);
  // Asked whether it would, it has not done it.
  expect(await redis.info('persistence')).toContain('aof_last_rewrite_time_sec:-1');
});

function connect(url: string) {
  const redis = connectRedis(parseRedisUrl(url), () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

test('every master of a cluster is checked, and the one that is not as it should be is named', async () => {
  const { masters, hosts } = await startRedisCluster();
  const redis = connect(`redis+cluster://${hosts}`);
  expect(await acceptSettings(redis, false)).toEqual([]);
  const [, second] = masters;
  await second?.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await acceptSettings(redis, true)).toEqual([
    expect.stringMatching(
      new RegExp(`^Redis 127\\.0\\.0\\.1:${second?.port}: maxmemory-policy is allkeys-lru`),
    ),
  ]);
});

test('a master under Sentinel that would take writes without its replicas is refused', async () => {
  const { master, sentinel } = await startRedisGroup({});
  const redis = connect(`redis+sentinel://127.0.0.1:${sentinel.port}/${MASTER_NAME}`);
  expect(await acceptSettings(redis, false)).toEqual([]);
  await master.admin.config('SET', 'min-replicas-to-write', '0');
  await expect(acceptSettings(redis, false)).rejects.toThrow(
    /^Redis: min-replicas-to-write is 0, expected 1 or more with Sentinel: .*CONFIG SET min-replicas-to-write 1/,
  );
  // Without a Sentinel nobody would take its place.
  expect(await acceptSettings(connect(`redis://127.0.0.1:${master.port}`), false)).toEqual([]);
});

const GOOD: RedisSettings = {
  version: '7.0.15',
  values: {
    'maxmemory-policy': 'noeviction',
    appendonly: 'yes',
    appendfsync: 'always',
    'min-replicas-to-write': '1',
    'min-replicas-max-lag': '10',
  },
  usedMemoryBytes: 1,
  maxMemoryBytes: 0,
};

test.each([
  ['all as expected', {}, []],
  ['an eviction policy', { 'maxmemory-policy': 'allkeys-lru' }, [['refused', 'maxmemory-policy is']]],
  [
    'eviction of keys with a time to live',
    { 'maxmemory-policy': 'volatile-ttl' },
    [['refused', 'maxmemory-policy is']],
  ],
  [
    'a torn file that it would start with and may not write anew',
    { 'aof-load-truncated': 'yes' },
    [['refused', 'aof-load-truncated is yes']],
  ],
  [
    'nothing to be read of that, and no right to it',
    { 'aof-load-truncated': 'unknown' },
    [['refused', 'aof-load-truncated is unknown']],
  ],
  ['fsync every second', { appendfsync: 'everysec' }, [['warning', 'appendfsync is']]],
  ['fsync left to the system', { appendfsync: 'no' }, [['warning', 'appendfsync is']]],
  ['CONFIG refused', { appendfsync: null }, [['warning', "appendfsync can't be read"]]],
  [
    'a master that goes on without replicas',
    { 'min-replicas-to-write': '0' },
    [['refused', 'min-replicas-to-write is']],
  ],
  [
    'one that goes on longer than workers are waited for',
    { 'min-replicas-max-lag': '11' },
    [['refused', 'min-replicas-max-lag is']],
  ],
  [
    'one that takes any replica for present',
    { 'min-replicas-max-lag': '0' },
    [['refused', 'min-replicas-max-lag is']],
  ],
  [
    'several at once',
    { appendonly: 'no', 'maxmemory-policy': 'allkeys-lfu' },
    [
      ['refused', 'maxmemory-policy is'],
      ['refused', 'appendonly is'],
    ],
  ],
])('%s is judged as it should be', (_, over, expected) => {
  const findings = judgeSettings({ ...GOOD, values: { ...GOOD.values, ...over } });
  expect(findings.map(({ kind, problem }) => [kind, problem])).toEqual(
    expected.map(([kind, text]) => [kind, expect.stringContaining(text ?? '')]),
  );
});

test.each([
  ['8.2.1', []],
  // Before script flags.
  ['6.2.14', ['impossible']],
  [null, ['warning']],
])('version %s is judged as it should be', (version, kinds) => {
  expect(judgeSettings({ ...GOOD, version }).map(({ kind }) => kind)).toEqual(kinds);
});

test('settings that can not be read since a script keeps the server busy are not taken for hidden ones', async () => {
  const { redis, beBusy, endScript } = await startBusyRedis();
  await beBusy();
  await expect(acceptSettings(redis, false)).rejects.toThrow('BUSY');
  await endScript();
  await acceptSettings(redis, false);
});
