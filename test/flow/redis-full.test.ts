import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

/** More than the queue may hold at once, so that there is something left to be read. */
const ROWS = 8_000;
const WAITS = /Redis is full \(maxmemory\): reading waits/g;
const GOES_ON = /Redis takes rows again: reading goes on/g;

test('a Redis that is full lets the rows in hand go on, says so once, and the run ends when it has room', async () => {
  const { url, redis } = await startRedisServer();
  const flow = await startFlow({ faults: ['latency=100ms'], redis: url });
  const file = await flow.file('a.csv', subclientsCsv(ROWS));
  const run = flow.start(['run', 'subclients-create', file, '--json']);
  const made = () => flow.sandbox.stats().made.subclients;
  await until(async () => (await redis.keys('*-c40')).length > 0);

  await redis.config('SET', 'maxmemory', '1mb');
  await until(() => run.said().match(WAITS) !== null);
  flow.sandbox.setFaults([]);
  const before = made();
  await until(() => made() > before + 1000);

  await redis.config('SET', 'maxmemory', '0');
  const ended = await run.ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcomes: { created: ROWS, 'in-doubt': 0 } });
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: ROWS }, duplicateKeys: 0 });
  expect(ended.stderr.match(WAITS)).toHaveLength(1);
  expect(ended.stderr.match(GOES_ON)).toHaveLength(1);
});
