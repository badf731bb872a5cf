import { expect, onTestFinished, test, vi } from 'vitest';
import { parseRedisUrl, type RedisAddress } from '../../../src/config/redis-address.ts';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import { assertReachable } from '../../../src/engine/redis/reach.ts';
import type { TlsFiles } from '../../../src/lib/tls-files.ts';
import { makeCertificates, tlsLines } from '../../support/certificates.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { startRedisNode } from '../../support/redis-node.ts';
import { until } from '../../support/until.ts';

function connect(address: RedisAddress, onError: (error: Error) => void = () => undefined) {
  const redis = connectRedis(address, onError);
  onTestFinished(() => redis.disconnect());
  return redis;
}

test('what a master without its replicas refuses is told, and waits until it is taken', async () => {
  const node = await startRedisNode({ lines: ['min-replicas-to-write 1'] });
  const told = vi.fn();
  const redis = connect(parseRedisUrl(`redis://127.0.0.1:${node.port}`), told);
  const writing = redis.eval("return redis.call('SET', KEYS[1], 'b')", 1, 'a');
  await until(() => told.mock.calls.length >= 2);
  expect(told.mock.calls[0]?.[0].message).toMatch(/^NOREPLICAS /);
  await node.admin.config('SET', 'min-replicas-to-write', '0');
  expect(await writing).toBe('OK');
});

test('what a master that has become a replica refuses waits until it is a master again', async () => {
  const node = await startRedisNode();
  const told = vi.fn();
  const redis = connect(parseRedisUrl(`redis://127.0.0.1:${node.port}`), told);
  await redis.ping();
  await node.admin.replicaof('127.0.0.1', 1);
  const writing = redis.set('a', 'b');
  await until(() => told.mock.calls.length >= 1);
  expect(told.mock.calls[0]?.[0].message).toMatch(/^READONLY /);
  await node.admin.replicaof('NO', 'ONE');
  expect(await writing).toBe('OK');
});

test('what a master of a cluster refuses while it is cut off from the others waits until they are back', async () => {
  const cluster = await startRedisCluster();
  const master = await cluster.masterOf('key');
  const others = cluster.masters.filter((node) => node !== master);
  const redis = connect(parseRedisUrl(`redis+cluster://${cluster.hosts}`));
  await redis.set('key', 'before');
  for (const node of others) node.freeze();
  await until(async () => /^cluster_state:fail/m.test(String(await master.admin.cluster('INFO'))));
  await expect(master.admin.set('key', 'now')).rejects.toThrow(/^CLUSTERDOWN/);
  const writing = redis.set('key', 'after');
  for (const node of others) node.thaw();
  expect(await writing).toBe('OK');
});

test('an encrypted connection needs a certificate that the authority has signed, whatever the environment says', async () => {
  const { ca, cert, key } = await makeCertificates();
  const node = await startRedisNode({ isEncrypted: true, lines: tlsLines({ ca, cert, key }) });
  const certificate = { certFile: cert, keyFile: key };
  const at = (tls: TlsFiles, host = '127.0.0.1'): RedisAddress => ({
    kind: 'server',
    server: { host, port: node.port },
    database: 0,
    login: null,
    tls,
  });
  await expect(assertReachable(at({ caFile: ca, certificate }))).resolves.toBeUndefined();
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(assertReachable(at({ caFile: null, certificate }))).rejects.toThrow(
    /self.signed certificate.*REDIS_TLS_CA_FILE/,
  );
  // The certificate is made out to 127.0.0.1 alone.
  await expect(assertReachable(at({ caFile: ca, certificate }, 'localhost'))).rejects.toThrow(
    /Hostname\/IP does not match certificate's altnames/,
  );
  // The server asks for a certificate too.
  await expect(assertReachable(at({ caFile: ca, certificate: null }))).rejects.toThrow(/REDIS_TLS_CERT_FILE/);
  const plain = parseRedisUrl(`redis://127.0.0.1:${node.port}`);
  await expect(assertReachable(plain)).rejects.toThrow(/can't be used/);
});
