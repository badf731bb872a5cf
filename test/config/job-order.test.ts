import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { jobsBefore } from '../../src/config/job-definition.ts';
import { loadJob, loadJobFile } from '../../src/config/load-job.ts';

test.each([
  [undefined, []],
  ['subclients', ['subclients']],
  [
    ['subclients', 'payees'],
    ['subclients', 'payees'],
  ],
])('after %j: the jobs before are %j', (after, jobs) => {
  expect(jobsBefore({ after })).toEqual(jobs);
});

/** A folder of two jobs: `subclients`, and `payees` after those named. */
async function jobsWithAfter(after: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-jobs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'subclients.yaml'), 'operation: subclient.create\n');
  await writeFile(join(folder, 'payees.yaml'), `operation: counterparty.draft\nafter: ${after}\n`);
  return folder;
}

test('a job that comes after one of its folder loads', async () => {
  const { definition } = await loadJob('payees', await jobsWithAfter('[subclients]'));
  expect(definition.after).toEqual(['subclients']);
});

test('a job that comes after one that there is not is refused, with its line and what was meant', async () => {
  const folder = await jobsWithAfter('subclient');
  await expect(loadJob('payees', folder)).rejects.toThrow(
    `${join(folder, 'payees.yaml')}, line 2, after: there is no job "subclient" beside this one. Did you mean "subclients"?`,
  );
});

test('a job from elsewhere may name jobs that can not be seen from there', async () => {
  const folder = await jobsWithAfter('elsewhere');
  expect((await loadJobFile(join(folder, 'payees.yaml'))).definition.after).toBe('elsewhere');
});

test('a job that waits for itself is refused, wherever it is', async () => {
  const folder = await jobsWithAfter('payees');
  await expect(loadJobFile(join(folder, 'payees.yaml'))).rejects.toThrow('a job can not wait for itself');
});
