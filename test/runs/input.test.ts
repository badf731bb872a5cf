import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { listJobs, loadJob } from '../../src/config/load-job.ts';
import { definitionProblems } from '../../src/delivery/run-mapping.ts';
import { examine } from '../../src/runs/check/doctor.ts';
import { openJobBook } from '../../src/runs/inbox/job-book.ts';
import { cautions } from '../../src/runs/input.ts';
import { memoryIo, onboard } from '../faces/cli/memory-io.ts';
import { ownFolder } from '../support/folder.ts';
import { newRun } from '../support/runs.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await ownFolder({
    'march.csv': 'externalId,details.name\nA,Acme\n',
    'load.yaml': 'operation: subclient.create\nkey: externalId\n',
  });
  file = join(folder, 'march.csv');
});

test.each(['run', 'check'])('onboard %s with a file as its job says what is expected', async (command) => {
  const env = { ONBOARD_JOBS: folder, ONBOARD_HOME: join(folder, 'home') };
  const said = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await onboard([command, ...args], env);
    expect(exitCode).toBe(3);
    return stderr;
  };
  expect(await said(file)).toContain(`expected \`onboard ${command} JOB FILE...\``);
  expect(await said(file, 'load', '--sandbox')).toContain(`there is no job "${file}": ${folder} has load.`);
  expect(await said(join(folder, 'laod.yaml'), file)).toContain(`${folder} has load. Did you mean "load"?`);
});

const MISSPELT =
  'operation: subclient.create\nkey: Ref\nfields: { details.name: Name }\nrequired: [detials.name]\n';
const PROBLEM = 'required, "detials.name": subclient.create has no such field. Did you mean "details.name"?';
const SHORT =
  'operation: subclient.create\nkey: Ref\nrequired: [details.name, kyc.details.website]\nfields: { additionalInformation.crmId: Ref }\n';

let jobsFolder = '';
beforeEach(async () => {
  jobsFolder = await ownFolder({
    'misspelt.yaml': MISSPELT,
    'short.yaml': SHORT,
    'fine.csv': 'Ref,Name\nA,Acme\n',
    'short.csv': `details.displayName\n${'Acme\n'.repeat(40)}`,
  });
});

const env = () => ({ ONBOARD_HOME: join(jobsFolder, 'home'), ONBOARD_JOBS: jobsFolder });

describe('a field that the operation does not have, named by the definition', () => {
  test.each(['run', 'check'])('is the definition’s fault, for %s too, not the file’s', async (command) => {
    const path = join(jobsFolder, 'misspelt.yaml');
    const said = { exitCode: 3, stderr: `onboard: ${path}: ${PROBLEM}\n`, stdout: '' };
    const file = join(jobsFolder, 'fine.csv');
    expect(await onboard([command, 'misspelt', file, '--sandbox'], env())).toEqual(said);
    expect(await onboard([command, '--job-file', path, file, '--sandbox'], env())).toEqual(said);
  });

  test('is found by the doctor and by what watches an inbox', async () => {
    const found = (await examine(memoryIo({ env: env() }))).filter(
      ({ check, status }) => check === 'jobs' && status === 'problem',
    );
    expect(found.map(({ finding }) => finding)).toEqual([`${join(jobsFolder, 'misspelt.yaml')}: ${PROBLEM}`]);
    await expect(openJobBook(jobsFolder, '/home', definitionProblems)).rejects.toThrow(PROBLEM);
  });

  test('is in no job that is shipped', async () => {
    const jobs = join(import.meta.dirname, '../../jobs');
    for (const name of await listJobs(jobs)) {
      expect(definitionProblems((await loadJob(name, jobs)).definition)).toEqual([]);
    }
  });
});

test.each(['run', 'check'])('%s refuses a file without columns of its job, once each', async (command) => {
  const path = join(jobsFolder, 'short.csv');
  const { exitCode, stderr } = await onboard([command, 'short', path, '--sandbox'], env());
  expect(exitCode).toBe(3);
  expect(stderr.trim().split('\n')).toEqual([
    `onboard: ${path}: the file has no column "Ref", from which the job takes its key, additionalInformation.crmId.`,
    `onboard: ${path}: the file has no column "details.name", which the job requires.`,
    `onboard: ${path}: the file has no column "kyc.details.website", which the job requires.`,
    expect.stringMatching(/its header, on line 1, names "details\.displayName"\. Add what is missing/),
    `onboard: Such settings stand in the job file: ${join(jobsFolder, 'short.yaml')}`,
  ]);
});

const job = (definition: unknown) => ({ name: 'j', definition: jobDefinitionSchema.parse(definition) });
const { facts } = newRun({ rows: 3 });

test.each([
  ['a create without a key', { operation: 'subclient.create' }, [facts], [/no key/]],
  ['a create with a key', { operation: 'subclient.create', key: 'A' }, [facts], []],
  ['an update without a key', { operation: 'subclient.update' }, [facts], []],
  ['a file without rows', { operation: 'subclient.update' }, [{ ...facts, rows: 0 }], [/no rows/]],
] as const)('%s is worth the right caution', (_, definition, files, expected) => {
  expect(cautions(job(definition), files)).toEqual(expected.map((text) => expect.stringMatching(text)));
});
