import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startReceiver } from '../faces/notify/receiver.ts';
import { preloadEnv } from '../faults/support/killing.ts';
import { startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';

const bodySchema = z.object({ type: z.string(), data: z.looseObject({ run: z.string().optional() }) });

/** A receiver of events, and the settings of who sends them there. */
async function startTold(home: string) {
  const { url, received } = await startReceiver();
  const secretFile = join(home, 'webhook-secret');
  await writeFile(secretFile, `whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  return {
    env: { ONBOARD_WEBHOOK_URL: url, ONBOARD_WEBHOOK_SECRET_FILE: secretFile },
    told: () => received.map(({ body }) => bodySchema.parse(JSON.parse(body))),
  };
}

test('a run whose process is killed between its end and the telling is told by the next one, and none twice', async () => {
  const flow = await startFlow();
  const { env, told } = await startTold(flow.home);
  const file = await flow.file('a.csv', subclientsCsv(3));
  const preload = preloadEnv('crash-point');
  const killed = flow.start(['run', 'subclients-create', file], {
    ...env,
    ...preload,
    ONBOARD_TEST_CRASH: 'reported:',
  });
  expect((await killed.ended).exitCode).toBeNull();
  expect(told()).toEqual([]);
  const other = await flow.file('b.csv', subclientsCsv(2, 'L'));
  const next = await flow.run(['subclients-create', other], env);
  await flow.run(['subclients-create', file], env);
  await flow.run(['subclients-create', other], env);
  expect(told().map(({ type, data }) => [type, data.rows])).toEqual(
    expect.arrayContaining([
      ['onboard.run.finished', 3],
      ['onboard.run.finished', 2],
    ]),
  );
  expect(told()).toHaveLength(2);
  expect(told().find(({ data }) => data.rows === 3)?.data).toMatchObject({ exitCode: 0, controlTotal: true });
  expect(told().find(({ data }) => data.rows === 2)?.data.run).toBe(next.summary.run);
});

test('a second command for a file names the process that reads it, and follows its run: nothing twice, and its end is told once', async () => {
  const rows = 1_500;
  const flow = await startFlow({ faults: ['latency=1s'] });
  const { env, told } = await startTold(flow.home);
  const file = await flow.file('a.csv', subclientsCsv(rows));
  const start = () => flow.start(['run', 'subclients-create', file, '--json'], env);
  const first = start();
  // By then it has the run.
  await until(() => flow.sandbox.stats().made.subclients > 0);
  const second = start();
  await until(() => second.said().includes(` is under way in process ${first.child.pid} on `));
  flow.sandbox.setFaults([]);
  const [a, b] = [withSummary(await first.ended), withSummary(await second.ended)];
  expect([a.exitCode, b.exitCode, b.summary.run]).toEqual([0, 0, a.summary.run]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: rows }, duplicateKeys: 0 });
  expect(told().map(({ type }) => type)).toEqual(['onboard.run.finished']);
});

test('a run that a person pauses, and one that a person cancels, are told by the process that follows them', async () => {
  const flow = await startFlow({ faults: ['latency=200ms'] });
  const { env, told } = await startTold(flow.home);
  const file = await flow.file('a.csv', subclientsCsv(600));
  const begin = async (args: readonly string[]) => {
    const before = flow.sandbox.stats().made.subclients;
    const run = flow.begin(args, env);
    await until(() => flow.sandbox.stats().made.subclients > before);
    return run;
  };
  const first = await begin(['run', 'subclients-create', file]);
  await flow.look(['pause', 'latest']);
  await first.ended;
  const second = await begin(['resume', 'latest']);
  await flow.onboard(['cancel', 'latest'], env);
  await second.ended;
  expect(told().map(({ type, data }) => [type, data.reason])).toEqual([
    ['onboard.run.paused', 'requested'],
    ['onboard.run.cancelled', null],
  ]);
});

test('a file that an inbox refuses is told, and the end of the run of one that it takes', async () => {
  const { flow, drop, begin } = await startInboxFlow();
  const { env, told } = await startTold(flow.home);
  await drop('unknown.csv', 'a\n1\n');
  await drop('subclients.csv', subclientsCsv(2));
  const ended = await begin(['start', '--once', '--no-web'], env).ended;
  expect(ended.exitCode).toBe(3);
  const events = told().sort((a, b) => a.type.localeCompare(b.type));
  expect(events).toMatchObject([
    { type: 'onboard.file.refused', data: { file: expect.stringMatching(/^\d{8}-\d{6}-\w{4}$/) } },
    { type: 'onboard.run.finished', data: { rows: 2, exitCode: 0 } },
  ]);
});
