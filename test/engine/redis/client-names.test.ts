import { expect, onTestFinished, test } from 'vitest';
import { parseRedisUrl } from '../../../src/config/redis-address.ts';
import { connectionNames, connectRedis, nameConnections } from '../../../src/engine/redis/connection.ts';
import type { RedisConnection } from '../../../src/lib/redis-connection.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { type RedisNode, startRedisNode } from '../../support/redis-node.ts';
import { until } from '../../support/until.ts';

function connect(url: string): RedisConnection {
  const redis = connectRedis(parseRedisUrl(url), () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

const isNamedAt = async ({ admin }: RedisNode) => / name=me /.test(String(await admin.client('LIST')));

async function drop({ admin }: RedisNode): Promise<void> {
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}

test('a connection has its name, also after it was lost', async () => {
  const node = await startRedisNode();
  const redis = connect(`redis://127.0.0.1:${node.port}`);
  const stop = nameConnections(redis, 'me');
  await until(async () => (await connectionNames(redis)).includes('me'));
  await drop(node);
  await until(() => isNamedAt(node));
  stop();
  await drop(node);
  await redis.ping();
  expect(await isNamedAt(node)).toBe(false);
});

test('with a cluster every master knows the name, also one whose connection was lost', async () => {
  const cluster = await startRedisCluster();
  const redis = connect(`redis+cluster://${cluster.hosts}`);
  nameConnections(redis, 'me');
  for (const master of cluster.masters) await until(() => isNamedAt(master));
  const other = connect(`redis+cluster://${cluster.hosts}`);
  await other.ping();
  expect((await connectionNames(other)).filter((name) => name === 'me')).toHaveLength(3);
  const master = await cluster.masterOf('key');
  await drop(master);
  await redis.set('key', 'value');
  await until(() => isNamedAt(master));
});
