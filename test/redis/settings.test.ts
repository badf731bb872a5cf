import { expect, onTestFinished, test } from 'vitest';
import { parseRedisUrl } from '../../src/config/redis-address.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { acceptSettings, judgeSettings, type RedisSettings, readSettings } from '../../src/redis/settings.ts';
import { startBusyRedis } from '../support/busy-redis.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { MASTER_NAME, startRedisGroup } from '../support/redis-sentinel.ts';
import { startRedisServer } from '../support/redis-server.ts';

const FORGETFUL = { appendonly: 'no', 'maxmemory-policy': 'allkeys-lru', maxmemory: '64mb' };

test('a server that forgets is refused with every reason and the way to go on; accepted, the reasons are warnings', async () => {
  const { redis } = await startRedisServer(FORGETFUL);
  expect(await readSettings(redis)).toMatchObject({
    version: expect.stringMatching(/^\d+\./),
    appendOnly: false,
    evictionPolicy: 'allkeys-lru',
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
    /^Redis: aof-load-truncated is yes and BGREWRITEAOF is refused, .*\+bgrewriteaof\), or `CONFIG SET aof-load-truncated no`/,
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
  appendOnly: true,
  loadsTornEnd: true,
  mayRewrite: true,
  evictionPolicy: 'noeviction',
  fsync: 'always',
  usedMemoryBytes: 1,
  maxMemoryBytes: 0,
  fencing: null,
};

const replicas = (minReplicas: number | null, maxLagSeconds: number | null) => ({
  minReplicas,
  maxLagSeconds,
});

test.each([
  ['all as expected', {}, []],
  ['a newer version', { version: '8.2.1' }, []],
  ['a version before script flags', { version: '6.2.14' }, [['impossible', 'it is version']]],
  ['an eviction policy', { evictionPolicy: 'allkeys-lru' }, [['refused', 'maxmemory-policy is']]],
  [
    'eviction of keys with a time to live',
    { evictionPolicy: 'volatile-ttl' },
    [['refused', 'maxmemory-policy is']],
  ],
  [
    'no append-only file, whatever fsync',
    { appendOnly: false, fsync: 'everysec' },
    [['refused', 'appendonly is']],
  ],
  ['a torn file that it would start with and can write anew', { loadsTornEnd: true }, []],
  ['one that it would not start with', { loadsTornEnd: false, mayRewrite: false }, []],
  [
    'one that it would start with and may not write anew',
    { loadsTornEnd: true, mayRewrite: false },
    [['refused', 'aof-load-truncated ']],
  ],
  [
    'nothing to be read of that, and no right to it',
    { loadsTornEnd: null, mayRewrite: false },
    [['refused', 'aof-load-truncated ']],
  ],
  ['fsync every second', { fsync: 'everysec' }, [['warning', 'appendfsync is']]],
  ['fsync left to the system', { fsync: 'no' }, [['warning', 'appendfsync is']]],
  ['CONFIG refused', { fsync: null }, [['warning', 'let ']]],
  ['a master under Sentinel that stops without replicas', { fencing: replicas(1, 10) }, []],
  ['one that goes on without replicas', { fencing: replicas(0, 10) }, [['refused', 'min-replicas-']]],
  [
    'one that goes on longer than workers are waited for',
    { fencing: replicas(2, 11) },
    [['refused', 'min-replicas-']],
  ],
  ['one that takes any replica for present', { fencing: replicas(1, 0) }, [['refused', 'min-replicas-']]],
  ['one that does not say', { fencing: replicas(null, null) }, [['warning', 'let ']]],
  [
    'nothing to be read',
    { version: null, appendOnly: null, evictionPolicy: null, fsync: null },
    [['warning', 'let ']],
  ],
  [
    'several at once',
    { version: '6.0.0', appendOnly: false, evictionPolicy: 'allkeys-lfu' },
    [
      ['impossible', 'it is version'],
      ['refused', 'maxmemory-policy is'],
      ['refused', 'appendonly is'],
    ],
  ],
])('%s is judged as it should be', (_, over, expected) => {
  const findings = judgeSettings({ ...GOOD, ...over });
  expect(findings.map(({ kind, problem }) => [kind, problem])).toEqual(
    expected.map(([kind, text]) => [kind, expect.stringContaining(text ?? '')]),
  );
});

test('settings that can not be read since a script keeps the server busy are not taken for hidden ones', async () => {
  const { redis, beBusy, endScript } = await startBusyRedis();
  await beBusy();
  await expect(acceptSettings(redis, false)).rejects.toThrow('BUSY');
  await endScript();
  await acceptSettings(redis, false);
});
