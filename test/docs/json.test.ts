import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { onboard } from '../faces/cli/memory-io.ts';
import { startFlow } from '../support/flow.ts';
import { OUTPUTS } from './json-outputs.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['account', 'status', 'status-run', 'purge'] as const;

test.each(NAMES)(
  'docs/json has the schema of %s: npx vitest run test/docs -u writes it anew',
  async (name) => {
    const schema = z.toJSONSchema(OUTPUTS[name], { io: 'output', unrepresentable: 'any' });
    const text = `${JSON.stringify({ title: `onboard ${name} --json`, ...schema }, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(ROOT, `docs/json/${name}.schema.json`));
  },
);

test('what account, status and purge print is as their schemas say: over, paused, cancelled, in doubt', async () => {
  const flow = await startFlow({ faults: ['404=always;key=F', 'reset-after-create=always;key=R'] });
  const { summary } = await flow.load('subclients-create', 'externalId,details.name\nK1,A\nF,B\nR,C\nK4,\n');
  const paused = await flow.load('subclients-create', 'externalId,details.name\nK5,A\n', { MSB_TOKEN: 'x' });
  const cancelled = await flow.load('subclients-create', 'externalId,details.name\nK6,A\n', {
    MSB_TOKEN: 'x',
  });
  await flow.onboard(['cancel', cancelled.summary.run]);
  const held = (name: (typeof NAMES)[number], text: string) => OUTPUTS[name].parse(JSON.parse(text));
  for (const { run } of [summary, paused.summary, cancelled.summary]) {
    held('status-run', await flow.look(['status', run, '--json']));
    held('account', await flow.look(['account', run, '--json']));
  }
  held('status', await flow.look(['status', '--json']));
  for (const which of [
    ['--older-than', '1d'],
    ['--run', cancelled.summary.run],
  ])
    held('purge', (await flow.onboard(['purge', ...which, '--dry-run', '--json'])).stdout);
});

test('so is the status of a home without a ledger, and of one whose files wait', async () => {
  const flow = await startFlow();
  const home = join(flow.home, 'none');
  const { stdout } = await onboard(['status', '--json'], { ONBOARD_HOME: home, ONBOARD_JOBS: 'jobs' });
  OUTPUTS.status.parse(JSON.parse(stdout));
  const job = 'operation: subclient.create\nfiles: "a*"\nkey: externalId\n';
  const hours =
    'schedule: { cron: "0 22 * * *", timezone: Europe/London }\nwindow: 22:00-05:00 Europe/London\n';
  await flow.file('scheduled.yaml', job + hours);
  await mkdir(join(flow.home, 'inbox'));
  await writeFile(join(flow.home, 'inbox', 'a.csv'), 'externalId,details.name\nK1,A\n');
  const { stdout: waiting } = await flow.onboard(['status', '--json'], { ONBOARD_JOBS: flow.home });
  const told = OUTPUTS.status.parse(JSON.parse(waiting));
  expect([told.waiting.length, told.schedules.length, told.windows.length]).toEqual([1, 1, 1]);
});
