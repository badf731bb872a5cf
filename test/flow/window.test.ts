import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

/** A window that opens in hours and closes an hour later, in UTC. */
function windowIn(hours: number): string {
  const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
  return `${clock(hours * HOUR_MS)}-${clock((hours + 1) * HOUR_MS)} UTC`;
}

test('outside its window a run waits, says until when, sends nothing, and is gone on with by resume, which waits too', async () => {
  const flow = await startFlow();
  const window = windowIn(6);
  const job = await flow.file(
    'night.yaml',
    `operation: subclient.create\nkey: externalId\nwindow: ${window}\n`,
  );
  const file = await flow.file('rows.csv', subclientsCsv(3));

  const newest = async () => JSON.parse((await flow.onboard(['runs', '--json', '--limit', '1'])).stdout);
  const waits = async (args: readonly string[]) => {
    const { ended, said, interrupt } = flow.begin(args);
    await until(() => said().includes(`The window ${window} is closed: goes on at `));
    const run = await newest();
    interrupt();
    return { ...(await ended), run };
  };

  const first = await waits(['run', '--job-file', job, file]);
  expect(first.run).toMatchObject({ state: 'paused', reason: 'window', owner: 'alive' });
  expect([first.exitCode, first.stderr.match(/The window/g)?.length]).toEqual([4, 1]);
  expect(`${first.stdout}${first.stderr}`.split(`onboard resume ${first.run.run}`)).toHaveLength(2);

  const second = await waits(['resume', first.run.run]);
  expect(second.run).toMatchObject({ run: first.run.run, state: 'paused', reason: 'window', owner: 'alive' });
  expect([second.exitCode, flow.sandbox.stats().made.subclients]).toEqual([4, 0]);
});
