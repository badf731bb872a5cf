import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkJobs } from '../../src/cli/doctor-settings.ts';
import { listJobs, loadJob } from '../../src/config/load-job.ts';
import { openJobBook } from '../../src/inbox/job-book.ts';
import { definitionProblems } from '../../src/runs/fitting-job.ts';
import { onboard } from '../cli/memory-io.ts';

const MISSPELT =
  'operation: subclient.create\nkey: Ref\nfields: { details.name: Name }\nrequired: [detials.name]\n';
const PROBLEM = 'required, "detials.name": subclient.create has no such field. Did you mean "details.name"?';
const SHORT =
  'operation: subclient.create\nkey: Ref\nrequired: [details.name, kyc.details.website]\nfields: { additionalInformation.crmId: Ref }\n';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onboard-fitting-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'misspelt.yaml'), MISSPELT);
  await writeFile(join(folder, 'short.yaml'), SHORT);
  await writeFile(join(folder, 'fine.csv'), 'Ref,Name\nA,Acme\n');
  await writeFile(join(folder, 'short.csv'), `details.displayName\n${'Acme\n'.repeat(40)}`);
});

const env = () => ({ ONBOARD_HOME: join(folder, 'home'), ONBOARD_JOBS: folder });

describe('a field that the operation does not have, named by the definition', () => {
  test.each(['run', 'check'])(
    'is the fault of the definition, and %s does not blame the file',
    async (command) => {
      const path = join(folder, 'misspelt.yaml');
      const said = { exitCode: 3, stderr: `onboard: ${path}: ${PROBLEM}\n`, stdout: '' };
      const file = join(folder, 'fine.csv');
      expect(await onboard([command, 'misspelt', file, '--sandbox'], env())).toEqual(said);
      expect(await onboard([command, '--job-file', path, file, '--sandbox'], env())).toEqual(said);
    },
  );

  test('is found by the doctor and by what watches an inbox', async () => {
    const found = (await checkJobs(folder)).filter(({ status }) => status === 'problem');
    expect(found.map(({ finding }) => finding)).toEqual([`${join(folder, 'misspelt.yaml')}: ${PROBLEM}`]);
    await expect(openJobBook(folder, '/home', definitionProblems)).rejects.toThrow(PROBLEM);
  });

  test('is in no job that is shipped', async () => {
    const jobs = join(import.meta.dirname, '../../jobs');
    for (const name of await listJobs(jobs)) {
      expect(definitionProblems((await loadJob(name, jobs)).definition)).toEqual([]);
    }
  });
});

describe('a file without the columns that its job needs', () => {
  test.each(['run', 'check'])(
    'is refused as a file by %s, and each column is named once',
    async (command) => {
      const path = join(folder, 'short.csv');
      const { exitCode, stderr } = await onboard([command, 'short', path, '--sandbox'], env());
      expect(exitCode).toBe(3);
      expect(stderr.trim().split('\n')).toEqual([
        `onboard: ${path}: the file has no column "Ref", from which the job takes its key, additionalInformation.crmId.`,
        `onboard: ${path}: the file has no column "details.name", which the job requires.`,
        `onboard: ${path}: the file has no column "kyc.details.website", which the job requires.`,
        expect.stringMatching(/its header, on line 1, names "details\.displayName"\. Add what is missing/),
      ]);
    },
  );
});
