import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { startBusyRedis } from '../support/busy-redis.ts';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';

test('told to end while a foreign script keeps Redis busy, an idle worker ends at once, and a run whose rows can not be recorded in time, saying how to go on', async () => {
  const { url, beBusy, endScript } = await startBusyRedis();
  const flow = await startFlow({
    redis: url,
    faults: ['latency=20ms±20ms'],
    times: { ...SHIPPED_TIMES, deadlineMs: 1_000 },
  });
  const job = await flow.file('job.yaml', createJob('concurrency: 2'));
  const file = await flow.file('rows.csv', subclientsCsv(400));
  // Of another service, and with the shipped deadline.
  const worker = (await startFlow({ redis: url })).start(['work']);
  await until(() => worker.said().includes('Working for'));
  const run = flow.start(['run', '--job-file', job, file]);
  await until(() => flow.sandbox.stats().made.subclients > 20);
  await beBusy();
  await until(() => run.said().includes('an outcome could not be recorded yet'));
  for (const { child } of [worker, run]) child.kill('SIGTERM');
  const [idle, ended] = await Promise.all([worker.ended, run.ended]);
  await endScript();
  expect([idle.exitCode, idle.stderr]).toEqual([4, expect.stringContaining('BUSY')]);
  expect(idle.stderr).not.toContain('Ended after');
  const command = `ONBOARD_HOME=${flow.home} onboard run --job-file ${job} ${file}`;
  expect([ended.exitCode, ended.stderr]).toEqual([
    4,
    expect.stringContaining(`Ended after 1 s. To go on: ${command}`),
  ]);
});
