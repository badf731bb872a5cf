import { expect, test } from 'vitest';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

test('cut back by time, it has what was written before then and not what was written after', async () => {
  const server = await startRedisServer();
  const began = performance.now();
  await until(async () => {
    await server.redis.rpush('times', String(performance.now() - began));
    return performance.now() - began > 900;
  });
  await server.kill();
  const killedAfter = performance.now() - began;
  await server.cutLog(0.3);
  await server.start();
  const last = Number((await server.redis.lrange('times', -1, -1))[0]);
  expect(killedAfter - last).toBeGreaterThanOrEqual(290);
  expect(last).toBeGreaterThan(0);
});

test('frozen, it answers nothing until it is thawed', async () => {
  const [server, other] = await Promise.all([startRedisServer(), startRedisServer()]);
  server.freeze();
  const answers: string[] = [];
  const asked = server.redis.ping().then((pong) => answers.push(pong));
  // A server that runs would have answered long before so many round trips to another.
  for (let n = 0; n < 200; n += 1) await other.redis.ping();
  expect(answers).toEqual([]);
  server.thaw();
  await asked;
});
