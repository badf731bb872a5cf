import { expect, test } from 'vitest';
import { commandOffsets } from '../support/redis-log.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

test('killed and started again, it is at the same place with all it had answered', async () => {
  const server = await startRedisServer();
  await server.redis.set('a', '1');
  await server.kill();
  await server.start();
  expect(await server.redis.get('a')).toBe('1');
  expect(await server.redis.config('GET', 'appendfsync')).toContain('always');
});

test('its last commands cut off, it comes back without them', async () => {
  const server = await startRedisServer();
  for (const n of [1, 2, 3, 4]) await server.redis.set('a', n);
  await server.kill();
  expect(await server.cutLog({ kind: 'commands', commands: 2 })).toBeGreaterThan(0);
  await server.start();
  expect(await server.redis.get('a')).toBe('2');
});

test('torn in the middle of a command, it comes back without that command', async () => {
  const server = await startRedisServer();
  for (const n of [1, 2]) await server.redis.set('a', n);
  await server.stop();
  expect(await server.cutLog({ kind: 'bytes', bytes: 5 })).toBe(5);
  await server.start();
  expect(await server.redis.get('a')).toBe('1');
});

test('cut back by time, it has what was written before then and not what was written after', async () => {
  const server = await startRedisServer();
  const began = performance.now();
  await until(async () => {
    await server.redis.rpush('times', String(performance.now() - began));
    return performance.now() - began > 900;
  });
  await server.kill();
  const killedAfter = performance.now() - began;
  await server.cutLog({ kind: 'seconds', seconds: 0.3 });
  await server.start();
  const last = Number((await server.redis.lrange('times', -1, -1))[0]);
  expect(killedAfter - last).toBeGreaterThanOrEqual(290);
  expect(last).toBeGreaterThan(0);
});

test('a copy put back is the past', async () => {
  const server = await startRedisServer();
  await server.redis.set('a', '1');
  const putBack = await server.backUp();
  await server.redis.set('a', '2');
  await server.kill();
  await putBack();
  await server.start();
  expect(await server.redis.get('a')).toBe('1');
  await server.flushAll();
  expect(await server.redis.dbsize()).toBe(0);
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

test('the commands of a log are found, whatever they carry', () => {
  const commands = [
    '*1\r\n$4\r\nPING\r\n',
    '*3\r\n$3\r\nSET\r\n$1\r\na\r\n$9\r\n*1\r\n$1\r\nx\r\n',
    '*2\r\n$3\r\nGET\r\n$0\r\n\r\n',
  ];
  const log = Buffer.from(`#TS:1\r\n${commands.join('')}`);
  const [first = '', second = ''] = commands;
  expect(commandOffsets(log)).toEqual([7, 7 + first.length, 7 + first.length + second.length]);
});
