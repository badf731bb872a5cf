import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { startBusyRedis } from '../support/busy-redis.ts';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';

/** Who waited for the script would wait as long as a process waits for Redis at all. */
const SOON_MS = SHIPPED_TIMES.deadlineMs / 2;

test('a worker that is to end while a foreign script keeps Redis busy ends at once, as interrupted', async () => {
  const { url, beBusy, endScript } = await startBusyRedis();
  const flow = await startFlow();
  const work = flow.start(['work'], { REDIS_URL: url });
  let said = '';
  work.child.stderr?.on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('Working for'));
  await beBusy();
  const from = performance.now();
  work.child.kill('SIGTERM');
  const { exitCode, stderr } = await work.ended;
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('BUSY')]);
  expect(performance.now() - from).toBeLessThan(SOON_MS);
  await endScript();
});

test('a run whose rows in flight can not be recorded while a foreign script keeps Redis busy ends in time, and says how to go on', async () => {
  const { url, beBusy, endScript } = await startBusyRedis();
  const flow = await startFlow({
    faults: ['latency=20ms±20ms'],
    times: { ...SHIPPED_TIMES, deadlineMs: 1_000 },
  });
  const job = await flow.file('job.yaml', createJob('concurrency: 2'));
  const file = await flow.file('rows.csv', subclientsCsv(400));
  const run = flow.start(['run', '--job-file', job, file], { REDIS_URL: url });
  let said = '';
  run.child.stderr?.on('data', (text: string) => {
    said += text;
  });
  await until(() => flow.sandbox.stats().made.subclients > 20);
  await beBusy();
  await until(() => said.includes('an outcome could not be recorded yet'));
  run.child.kill('SIGTERM');
  const { exitCode, stderr } = await run.ended;
  await endScript();
  const command = `ONBOARD_HOME=${flow.home} onboard run --job-file ${job} ${file}`;
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`Ended after 1 s. To go on: ${command}`)]);
});
