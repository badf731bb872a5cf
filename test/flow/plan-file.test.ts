import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Flow, startFlow, withSummary } from '../support/flow.ts';

const JOB = [
  'operation: subclient.upsert',
  'key: externalId',
  'unusual: off',
  'fields: { details.name: name }',
  '',
].join('\n');
const csv = (...rows: readonly string[]) => ['externalId,name', ...rows, ''].join('\n');

async function planned(flow: Flow, text: string) {
  const job = await flow.file('portfolio.yaml', JOB);
  const file = await flow.file('next.csv', text);
  const plan = join(flow.home, `plan-${Math.random()}.json`);
  const checked = await flow.onboard(['check', '--job-file', job, file, '--out', plan]);
  expect(checked.exitCode, checked.stderr).toBeLessThan(2);
  const args = ['run', '--job-file', job, file, '--plan', plan];
  return { job, file, plan, checked, args };
}

const made = ({ sandbox }: Flow) => sandbox.stats().made.subclients;

test('a run by a plan sends just what the plan says', async () => {
  const flow = await startFlow();
  await flow.onboard([
    'run',
    '--job-file',
    await flow.file('portfolio.yaml', JOB),
    await flow.file('a.csv', csv('S1,Ada', 'S2,Ben')),
  ]);
  const { plan, checked, args } = await planned(flow, csv('S1,Ada', 'S2,Bob', 'S3,Cy', 'S3,Cyd'));
  expect(checked.stdout).toContain(`--plan ${plan}`);
  expect((await stat(plan)).mode & 0o777).toBe(0o600);
  const text = await readFile(plan, 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    counts: { rows: 4, sendable: 2, skipped: 1, invalid: 1 },
    fates: [
      [1, 1, 'skipped'],
      [2, 2, 'changed'],
      [3, 3, 'new'],
      [4, 4, 'invalid'],
    ],
  });
  for (const value of ['Ada', 'S3']) expect(text).not.toContain(value);
  const { summary } = withSummary(await flow.onboard([...args, '--json']));
  expect(summary.outcomes).toMatchObject({ created: 1, updated: 1, skipped: 1, invalid: 1 });
  // Nobody was asked to approve it.
  expect(await flow.look(['status', summary.run])).not.toContain('approved');
});

test('where anything is otherwise by now, nothing is sent, and the rows are named', async () => {
  const flow = await startFlow();
  const { job, file, plan, args } = await planned(flow, csv('S1,Ada', 'S2,Ben'));
  const refused = async (...words: readonly string[]) => {
    const { exitCode, stderr } = await flow.onboard(args);
    expect(exitCode).toBe(3);
    for (const one of [...words, 'Nothing was sent']) expect(stderr).toContain(one);
  };
  await writeFile(file, csv('S1,Ada', 'S2,Bea'));
  await refused('the file is another');
  await writeFile(file, csv('S1,Ada', 'S2,Ben'));
  await writeFile(job, `${JOB}emptyCell: null\n`);
  await refused('the job definition has changed');
  await writeFile(job, JOB);

  const own = JSON.parse(await readFile(plan, 'utf8'));
  await writeFile(plan, JSON.stringify({ ...own, fates: [[1, 2, 'skipped']] }));
  await refused('it was changed since it was written', 'row 1 was to be skipped, and would be sent by now');
  await writeFile(plan, '{}');
  const { exitCode, stderr } = await flow.onboard(args);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('is no plan')]);
  await writeFile(plan, JSON.stringify(own));

  await flow.onboard(['run', '--job-file', job, await flow.file('other.csv', csv('S2,Ben'))]);
  await refused('1 row would end otherwise', 'row 2 was to be sent, and would be skipped by now');
  expect(made(flow)).toBe(1);
});

test('a run that was begun by a plan goes on by that one alone', async () => {
  const flow = await startFlow();
  const { plan, args } = await planned(flow, csv('S1,Ada', 'S2,Ben', ',Cy'));
  expect((await flow.onboard(args, { MSB_TOKEN: 'wrong' })).exitCode).toBe(2);
  const own = await readFile(plan, 'utf8');
  await writeFile(plan, own.replace('portfolio', 'another'));
  const refused = await flow.onboard(args);
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('it was changed since')]);
  await writeFile(plan, own);
  const { summary } = withSummary(await flow.onboard([...args, '--json']));
  expect(summary.outcomes).toMatchObject({ created: 2, invalid: 1 });
});

test('a plan is of one file, for a ledger, and a file of its own', async () => {
  const flow = await startFlow();
  const { job, file, plan, args } = await planned(flow, csv('S1,Ada'));
  const refusedAs = async (words: string, given: readonly string[]) => {
    const { exitCode, stderr } = await flow.onboard(given);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(words)]);
  };
  await refusedAs('is there already', ['check', '--job-file', job, file, '--out', plan]);
  await refusedAs('expected one file, got 2', [
    'check',
    '--job-file',
    job,
    file,
    file,
    '--out',
    join(flow.home, 'x.json'),
  ]);
  await refusedAs('expected one file, got 2', [...args, file]);
  // A run that was begun without the plan is not held to it.
  await flow.onboard(['run', '--job-file', job, file], { MSB_TOKEN: 'wrong' });
  await refusedAs('was begun without this plan', args);
  await refusedAs('expected without --again', [...args, '--again']);
});
