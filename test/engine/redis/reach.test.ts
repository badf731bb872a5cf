import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { parseRedisUrl } from '../../../src/config/redis-address.ts';
import { assertReachable } from '../../../src/engine/redis/reach.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { startRedisNode } from '../../support/redis-node.ts';
import { startRedisServer } from '../../support/redis-server.ts';

const own = useOwnRedis();

test('a port where nothing listens is named, without the password, with what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  server.close();
  const failed = assertReachable(parseRedisUrl(`redis://user:secret-word@127.0.0.1:${port}`));
  await expect(failed).rejects.toThrow(new RegExp(`127\\.0\\.0\\.1:${port}.*ECONNREFUSED.*REDIS_URL`));
  await expect(failed).rejects.not.toThrow(/secret-word/);
});

test('a server that takes no commands right now is to be waited for: another Redis would know of no row', async () => {
  const { redis, address } = own();
  await redis.config('SET', 'replica-serve-stale-data', 'no');
  await redis.replicaof('127.0.0.1', 1);
  try {
    const failed = assertReachable(address);
    await expect(failed).rejects.toThrow(/MASTERDOWN.*give the command again; keep REDIS_URL as it is/);
    await expect(failed).rejects.not.toThrow(/unset/);
  } finally {
    await redis.replicaof('NO', 'ONE');
  }
});

test('a refused password is said', async () => {
  await own().redis.config('SET', 'requirepass', 'right');
  try {
    await expect(assertReachable(own().address)).rejects.toThrow(/NOAUTH.*as in redis:\/\//);
  } finally {
    await own().redis.config('SET', 'requirepass', '');
  }
});

test('a node of a cluster by the URL of a single server, and the other way round, is refused with the URL that would do', async () => {
  const node = await startRedisNode({ lines: ['cluster-enabled yes'] });
  await expect(assertReachable(parseRedisUrl(`redis://127.0.0.1:${node.port}`))).rejects.toThrow(
    /it is a node of a cluster, expected redis\+cluster:\/\//,
  );
  const single = await startRedisServer();
  const asCluster = parseRedisUrl(single.url.replace('redis://', 'redis+cluster://'));
  await expect(assertReachable(asCluster)).rejects.toThrow(/it is a single server, expected redis:\/\//);
});

test('a cluster that lacks slots is refused; a whole one is fine as long as one of the nodes answers', async () => {
  const node = await startRedisNode({ lines: ['cluster-enabled yes'] });
  await expect(assertReachable(parseRedisUrl(`redis+cluster://127.0.0.1:${node.port}`))).rejects.toThrow(
    /the state of the cluster is fail with 0 slots served, expected ok with 16384/,
  );
  const { hosts } = await startRedisCluster();
  const silent = await startRedisNode();
  silent.freeze();
  await expect(
    assertReachable(parseRedisUrl(`redis+cluster://127.0.0.1:1,127.0.0.1:${silent.port},${hosts}`)),
  ).resolves.toBeUndefined();
  const failed = assertReachable(parseRedisUrl('redis+cluster://me:secret-word@127.0.0.1:1,127.0.0.1:2'));
  await expect(failed).rejects.toThrow(/ECONNREFUSED 127\.0\.0\.1:1; connect ECONNREFUSED 127\.0\.0\.1:2/);
  await expect(failed).rejects.not.toThrow(/secret-word/);
});

test('a Sentinel that is away or does not know the master is named', async () => {
  const { port } = await startRedisNode({ isSentinel: true });
  const url = `redis+sentinel://me:secret-word@127.0.0.1:1,127.0.0.1:${port}/payments`;
  const failed = assertReachable(parseRedisUrl(url));
  await expect(failed).rejects.toThrow(
    new RegExp(`sentinel 127\\.0\\.0\\.1:1 .*closed; .*sentinel 127\\.0\\.0\\.1:${port} .*Start it`),
  );
  await expect(failed).rejects.not.toThrow(/secret-word/);
});
