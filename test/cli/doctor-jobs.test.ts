import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkJobs, judgeJob } from '../../src/cli/doctor-jobs.ts';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';

async function jobsOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-jobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('the shipped jobs are valid and give up nothing', async () => {
  expect((await checkJobs('jobs')).map(({ status }) => status)).toEqual(['ok']);
});

test('every problem of a definition is named, and the valid ones are counted', async () => {
  const folder = await jobsOf({ 'a.yaml': 'operation: payment.documents', 'b.yaml': 'operaton: x' });
  const found = await checkJobs(folder);
  expect(found[0]).toMatchObject({ status: 'ok', finding: `1 valid definition in ${folder}` });
  expect(
    found.slice(1).every(({ status, finding }) => status === 'problem' && /b\.yaml, line 1/.test(finding)),
  ).toBe(true);
  expect(found.length).toBeGreaterThan(1);
});

test('a folder without definitions is a warning', async () => {
  expect(await checkJobs(await jobsOf({}))).toEqual([expect.objectContaining({ status: 'warning' })]);
});

test.each([
  ['subclient.create', 'retry', 1],
  ['subclient.upsert', 'retry', 1],
  ['counterparty.draft', 'retry', 1],
  ['subclient.update', 'retry', 0],
  ['subclient.create', 'hold', 0],
] as const)('%s with onUnknownOutcome: %s gets %i warning', (operation, onUnknownOutcome, count) => {
  const definition = jobDefinitionSchema.parse({ operation, onUnknownOutcome });
  const found = judgeJob({ name: 'j', definition });
  expect(found).toHaveLength(count);
  for (const { finding } of found) expect(finding).toContain('gives up "never twice"');
});
