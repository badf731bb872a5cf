import { utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseRedisUrl } from '../../src/config/redis-address.ts';
import { ledgerKeys } from '../../src/engine/ledger/keys.ts';
import { createReleases } from '../../src/engine/queue/schedules.ts';
import { connectRedis } from '../../src/engine/redis/connection.ts';
import type { Flow } from '../support/flow.ts';
import { fileLines, rowsOf, startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';

const overviewSchema = z.object({
  runs: z.array(z.object({ id: z.string(), state: z.string() })),
  processing: z.array(z.object({ file: z.string(), job: z.string() })),
  waiting: z.array(z.object({ file: z.string(), why: z.string(), words: z.string() })),
  schedules: z.array(z.object({ job: z.string(), next: z.string(), isSet: z.boolean() })),
  windows: z.array(z.object({ job: z.string(), window: z.string() })),
});

test('a file waits for the schedule of its job, for the jobs that come before it, and status says so', async () => {
  const { flow, drop, begin, list } = await startInboxFlow({
    subclients: 'operation: subclient.create\nfiles: "subclients*"\nkey: externalId\n',
    payees: 'operation: counterparty.draft\nfiles: "payees*"\nkey: externalId\nafter: subclients\n',
    late: 'operation: counterparty.draft\nfiles: "late*"\nkey: externalId\nafter: nightly\n',
    nightly:
      'operation: subclient.create\nfiles: "nightly*"\nkey: externalId\nschedule: { cron: "0 3 * * *", timezone: Europe/London }\n',
    hours:
      'operation: subclient.create\nfiles: "hours*"\nkey: externalId\nwindow: 22:00-05:00 Europe/London\n',
  });
  await drop('payees-1.csv', 'externalId,name\nP1,Payee\n');
  await drop('subclients-1.csv', rowsOf('S', 30));
  await drop('subclients-2.csv', rowsOf('T', 30));
  await drop('nightly-1.csv', rowsOf('NIGHT', 2));
  await drop('late-1.csv', 'externalId,name\nP2,Payee\n');

  const ended = await begin(['start', '--once']).ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(
    fileLines(ended)
      .map(({ file }) => file)
      .at(-1),
  ).toBe('payees-1.csv');
  expect(ended.stderr).toContain('payees-1.csv waits for job subclients: ');
  expect(ended.stderr).toContain('late-1.csv waits for job nightly: nightly-1.csv waits in the inbox');
  expect(await list('inbox')).toEqual(['late-1.csv', 'nightly-1.csv']);

  expect(ended.stderr).toContain('Left in the inbox:\n');
  const lookOver = async () => {
    const status = await flow.onboard(['status', '--json'], { ONBOARD_JOBS: `${flow.home}/jobs` });
    return overviewSchema.parse(JSON.parse(status.stdout));
  };
  let overview = await lookOver();
  // What was written just now may still be on its way.
  await until(async () => {
    if (overview.waiting.some(({ why }) => why === 'writing')) overview = await lookOver();
    return overview.waiting.every(({ why }) => why !== 'writing');
  });
  expect(overview).toMatchObject({
    runs: [],
    processing: [],
    windows: [{ job: 'hours', window: '22:00-05:00 Europe/London' }],
    schedules: [{ job: 'nightly', isSet: true }],
    waiting: [
      { file: 'late-1.csv', why: 'after' },
      { file: 'nightly-1.csv', why: 'schedule' },
    ],
  });
  expect(overview.schedules[0]?.next).toMatch(/T0[23]:00:00.000Z$/);

  await fire('nightly', flow);
  const later = await begin(['start', '--once']).ended;
  expect(later.exitCode, later.stderr).toBe(0);
  expect(fileLines(later).map(({ file }) => file)).toEqual(['nightly-1.csv', 'late-1.csv']);
});

test('half files and locks of other programs end nothing, and are told by status after an hour', async () => {
  const { flow, drop, begin, list } = await startInboxFlow({
    any: 'operation: subclient.create\nfiles: ["*", "*.in"]\nkey: externalId\n',
  });
  const passed = ['.a.csv.Ab12Cd', '.~lock.a.csv#', 'Thumbs.db', 'b.csv.partial', 'c.csv.BAK', '~$a.csv'];
  const files = await Promise.all(passed.map((name) => drop(name, rowsOf('HALF', 2))));
  await drop('orders.in', rowsOf('IN', 2));
  const ended = await begin(['start', '--once']).ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect([flow.sandbox.stats().made.subclients, await list('failed')]).toEqual([2, []]);
  expect(ended.stderr).not.toContain('Left in the inbox');
  const told = async () => {
    const status = await flow.onboard(['status', '--json'], { ONBOARD_JOBS: `${flow.home}/jobs` });
    return overviewSchema.parse(JSON.parse(status.stdout)).waiting.map(({ file, why }) => `${file} ${why}`);
  };
  expect(await told()).toEqual([]);
  const before = new Date(Date.now() - 3_600_000);
  for (const file of files) await utimes(file, before, before);
  expect(await told()).toEqual(passed.map((name) => `${name} passed-over`));
});

/** What a schedule leaves behind when it fires, for any watcher that comes. */
async function fire(job: string, { redisUrl, sandbox }: Flow): Promise<void> {
  const redis = connectRedis(parseRedisUrl(redisUrl), () => undefined);
  await createReleases(redis, ledgerKeys(sandbox.url).queuePrefix).release(job, new Date());
  redis.disconnect();
}

test('a file whose run is paused stays in processing until somebody resumes the run, over a restart of the watcher too', async () => {
  const { flow, drop, start, begin, list } = await startInboxFlow(undefined, { faults: ['latency=600ms'] });
  await drop('subclients-1.csv', rowsOf('S', 600));
  const first = start(['start']);
  await until(() => flow.sandbox.stats().made.subclients > 0);
  const [run = ''] = await list('inbox/.processing');
  await flow.onboard(['pause', run, '--reason', 'a new file comes'], { ONBOARD_ACTOR: 'Ann' });
  await until(async () => (await list('reports')).includes(run));
  first.child.kill('SIGTERM');
  expect((await first.ended).exitCode).toBe(4);
  flow.sandbox.setFaults([]);

  const second = begin(['start']);
  await until(() => second.said().includes(`run ${run} is paused (requested)`));
  const who = /by Ann, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: a new file comes/;
  expect(second.said()).toMatch(who);
  expect(await flow.look(['status'])).toMatch(who);
  expect(await list('inbox/.processing')).toEqual([run]);
  await flow.onboard(['resume', run]);
  await until(async () => (await list('done')).length === 2);
  second.interrupt();
  const ended = await second.ended;
  expect(fileLines(ended)).toMatchObject([
    { file: 'subclients-1.csv', result: 'paused', run, exitCode: 2 },
    { file: 'subclients-1.csv', result: 'done', run, rows: 600 },
  ]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 600 }, duplicateKeys: 0 });
  expect(await list('inbox/.processing')).toEqual([]);
});

test('a watcher without a token takes files, and a worker beside it sends their rows', async () => {
  const { flow, drop, begin } = await startInboxFlow();
  await drop('subclients-1.csv', rowsOf('S', 150));
  const watcher = begin(['watch', '--once'], { MSB_TOKEN: '' });
  const worker = flow.start(['work']);
  const ended = await watcher.ended;
  worker.child.kill('SIGTERM');
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(fileLines(ended)).toMatchObject([{ file: 'subclients-1.csv', result: 'done', rows: 150 }]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 150 }, duplicateKeys: 0 });
  await worker.ended;
});
