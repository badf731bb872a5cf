import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadJobFile } from '../../../src/config/load-job.ts';
import { templateFile } from '../../../src/runs/check/template.ts';
import { ownFolder } from '../../support/folder.ts';
import { onboard } from './memory-io.ts';

const JOBS = (await readdir('jobs')).map((file) => file.replace(/\.yaml$/, ''));

async function check(folder: string, args: readonly string[]) {
  const said = await onboard(['check', ...args, '--json'], { ONBOARD_HOME: join(folder, 'home') });
  return { exitCode: said.exitCode, stderr: said.stderr, ...JSON.parse(said.stdout || '{}') };
}

async function ownJob(definition: string) {
  const folder = await ownFolder();
  const job = join(folder, 'own.yaml');
  await writeFile(job, `operation: counterparty.draft\n${definition}`);
  return { folder, job };
}

test.each(JOBS.flatMap((job) => ['csv', 'json'].map((form) => [job, form] as const)))(
  'the template of a shipped job passes check %s as %s',
  async (job, form) => {
    const folder = await ownFolder();
    const file = join(folder, `template.${form}`);
    const made = await onboard(['template', job, ...(form === 'csv' ? [] : ['--json'])]);
    expect(made).toMatchObject({ exitCode: 0, stderr: '' });
    await writeFile(file, made.stdout);
    const issues = [{ code: 'describes_columns', row: 1 }];
    expect(await check(folder, [job, file])).toMatchObject({ exitCode: 1, invalid: 1, issues });
    await writeFile(file, made.stdout.replaceAll(/[Ee]xample|EXAMPLE|Sampl|PARTNER/g, 'own'));
    expect(await check(folder, [job, file])).toMatchObject({ exitCode: 0, invalid: 0, warnings: [] });
  },
);

test.each([
  ['a delimiter, a quote, title lines', 'csv', "format: { delimiter: '|', quote: \"'\", header: 3 }"],
  ['tabs in UTF-16', 'csv', "format: { delimiter: '\\t', encoding: utf-16le }\nfields: { name: Straße }"],
  ['an encoding of one byte', 'csv', 'format: { encoding: windows-1252 }\nfields: { name: Straße }'],
  ['records under a pointer', 'json', 'format: { type: json, records: /data/items }'],
  ['records line by line', 'ndjson', 'format: { type: ndjson }'],
  ['a group', 'csv', 'key: Ref\ngroup: accounts'],
  ['a group, as JSON', 'json', 'key: Ref\ngroup: accounts'],
])('a template is what the job reads: %s', async (_, ending, definition) => {
  const { folder, job } = await ownJob(definition);
  const made = templateFile(await loadJobFile(job), { json: ending !== 'csv' });
  expect(made.form).toBe(ending);
  const file = join(folder, `template.${ending}`);
  await writeFile(file, made.content);
  const issues = [{ code: 'describes_columns', row: 1 }];
  expect(await check(folder, ['--job-file', job, file])).toMatchObject({ exitCode: 1, issues, warnings: [] });
});

test('it is printed, ready to be a file', async () => {
  const csv = await onboard(['template', 'payment-documents']);
  expect(csv).toEqual({ exitCode: 0, stdout: 'paymentId\nEXAMPLE-ID-0001\n', stderr: '' });
  const json = await onboard(['template', 'payment-documents', '--json']);
  expect(JSON.parse(json.stdout)).toEqual([{ paymentId: 'EXAMPLE-ID-0001' }]);
});

test('of a job that reads workbooks it is the rows to fill one with', async () => {
  const { job } = await ownJob('key: Ref\nformat: { type: xlsx }');
  const said = await onboard(['template', '--job-file', job]);
  expect([said.exitCode, said.stdout.split(',')[0]]).toEqual([0, 'Ref']);
});

test('a form that the job does not read is refused', async () => {
  const { job } = await ownJob('format: { type: csv }');
  const said = await onboard(['template', '--job-file', job, '--json']);
  expect(said).toMatchObject({ exitCode: 3, stdout: '' });
  expect(said.stderr).toContain('the job reads csv (format.type)');
});
