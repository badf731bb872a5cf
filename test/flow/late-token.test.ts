import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { type Flow, startFlow, subclientsCsv } from '../support/flow.ts';
import { startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';

/** Writes a token as whoever renews it does: never half. */
async function renew(flow: Flow, token: string): Promise<string> {
  const path = join(flow.home, 'token');
  await writeFile(`${path}.new`, token, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return path;
}

/** Requests that arrived, however they were answered. */
const asked = (flow: Flow) =>
  Object.values(flow.sandbox.stats().requests)
    .flatMap((statuses) => Object.values(statuses))
    .reduce((sum, count) => sum + count, 0);
const made = (flow: Flow) => flow.sandbox.stats().made.subclients;

test('a token that comes late costs time: meanwhile nothing goes out, and the run says so', async () => {
  const flow = await startFlow({ tokens: ['one', 'two'], faults: ['latency=50ms'] });
  const env = { MSB_TOKEN: '', MSB_TOKEN_FILE: await renew(flow, 'one') };
  const file = await flow.file('rows.csv', subclientsCsv(600));
  const running = flow.begin(['run', 'subclients-create', file, '--json'], env);
  await until(() => made(flow) > 50);
  flow.sandbox.revoke('one');
  await until(() => running.said().includes('has refused the token (401): another is asked for'));
  const before = asked(flow);
  await until(async () => (await flow.onboard(['status'], env)).stdout.includes('refused the token'));
  expect((await flow.onboard(['status'], env)).stdout).toMatch(/^Needs attention:\n.*refused the token/);
  expect(asked(flow)).toBe(before);
  await renew(flow, 'two');
  const { exitCode, stdout } = await running.ended;
  expect([exitCode, JSON.parse(stdout).outcomes]).toEqual([0, { ...noOutcomes(), created: 600 }]);
});

const TIMES = { ...SHIPPED_TIMES, tokenMs: 1_500, pausedTokenMs: 500 };

test('one that does not come pauses the run, and `start` goes on with it once there is another', async () => {
  const { flow, drop, begin, list } = await startInboxFlow(undefined, {
    tokens: ['one', 'two', 'three'],
    times: TIMES,
  });
  flow.sandbox.revoke('one');
  const env = { MSB_TOKEN: '', MSB_TOKEN_FILE: await renew(flow, 'one') };
  await drop('subclients.csv', subclientsCsv(40));
  const watching = begin(['start'], env);
  await until(() => watching.said().includes('is paused (credentials)'));
  const before = asked(flow);
  flow.sandbox.revoke('two');
  await renew(flow, 'two');
  await until(() => watching.said().includes('There is another token'));
  // Whoever watches the files may look too late to see that it ran in between: each pause is logged.
  await until(() => watching.said().split('"msg":"run paused"').length === 3);
  expect(asked(flow) - before).toBe(1);
  await renew(flow, 'three');
  await until(async () => (await list('done')).length > 0);
  expect(made(flow)).toBe(40);
  watching.interrupt();
  await watching.ended;
});
