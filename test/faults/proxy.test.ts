import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { startProxy } from './support/proxy.ts';

/** A server, and a client of it with a proxy between. */
async function through() {
  const server = await startRedisServer();
  const proxy = await startProxy(server.port);
  onTestFinished(proxy.close);
  const client = () => {
    const redis = new Redis(proxy.port, '127.0.0.1', { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined);
    onTestFinished(() => redis.disconnect());
    return redis;
  };
  const one = client();
  await one.ping();
  return { server: server.redis, proxy, client, one };
}

test('refusing, new connections fail and open ones go on; accepting again, it is at the same place', async () => {
  const { proxy, client, one } = await through();
  proxy.refuse();
  await expect(client().ping()).rejects.toThrow();
  expect(await one.ping()).toBe('PONG');
  await proxy.accept();
  expect(await client().ping()).toBe('PONG');
});

test('held, connections stay open and nothing passes; let go, all of it does', async () => {
  const { server, proxy, client, one } = await through();
  proxy.hold();
  const [set, other] = [one.set('a', 1), client().set('b', 1)];
  // What would pass does so within this time.
  for (let n = 0; n < 100; n += 1) await server.ping();
  expect([await server.exists('a', 'b'), one.status]).toEqual([0, 'ready']);
  proxy.letGo();
  expect(await Promise.all([set, other])).toEqual(['OK', 'OK']);
});

test('cut, every open connection is reset, and a new one passes', async () => {
  const { proxy, client, one } = await through();
  proxy.cut();
  await until(() => one.status === 'end');
  expect(await client().ping()).toBe('PONG');
});

test('the answer to a request is lost, which the server has carried out, and the next answer passes', async () => {
  const { server, proxy, client, one } = await through();
  const lost = proxy.loseReplyTo('NEEDLE');
  expect(await one.set('NEED', 1)).toBe('OK');
  await expect(one.set('NEEDLE', 2)).rejects.toThrow();
  await lost;
  expect(await server.get('NEEDLE')).toBe('2');
  const next = client();
  expect(await next.set('NEEDLE', 3)).toBe('OK');
  const read = proxy.loseReply('SECRET');
  await server.set('a', 'SECRET');
  await expect(next.get('a')).rejects.toThrow();
  await read;
});
