import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { misplacedJob, type Placing } from '../../src/runs/misplaced-job.ts';
import { onboard } from '../cli/memory-io.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onboard-misplaced-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = join(folder, 'march.csv');
  await writeFile(file, 'externalId,details.name\nA,Acme\n');
  await writeFile(join(folder, 'load.yaml'), 'operation: subclient.create\nkey: externalId\n');
});

const JOBS = ['load', 'other'];
const say = (given: Omit<Placing, 'command'>) => misplacedJob({ command: 'run', ...given }, JOBS);

describe('a file in the place of a job', () => {
  test('and a job after it: the command is given the right way round, with its options', async () => {
    const typed = `onboard run ${file} load april.csv --sandbox`;
    expect(await say({ job: file, files: ['load', 'april.csv'], typed })).toBe(
      `"${file}" is a file and "load" a job; expected the job first: \`onboard run load ${file} april.csv --sandbox\``,
    );
  });

  test('and options between them: the command is given without these', async () => {
    const typed = `onboard run ${file} --sandbox load`;
    expect(await say({ job: file, files: ['load'], typed })).toContain(`: \`onboard run load ${file}\``);
  });

  test('and no job at all: the jobs are named', async () => {
    const spaced = join(folder, 'march 1.csv');
    await writeFile(spaced, '');
    expect(await say({ job: spaced, files: [], typed: 'onboard run' })).toBe(
      `"${spaced}" is a file; expected a job before it: \`onboard run <job> '${spaced}'\`, with one of load, other for its job.`,
    );
  });

  test('that is a definition: the command has --job-file', async () => {
    const definition = join(folder, 'load.yaml');
    const typed = `onboard run ${definition} ${file} --json`;
    expect(await say({ job: definition, files: [file], typed })).toContain(
      `or --job-file: \`onboard run --job-file ${definition} ${file} --json\``,
    );
  });

  test.each(['load', 'gone.csv', 'laod'])('is not what is wrong with %s', async (job) => {
    expect(await say({ job, files: ['load'], typed: '' })).toBeNull();
  });
});

test.each(['run', 'check'])('onboard %s says so and does not begin', async (command) => {
  const env = { ONBOARD_JOBS: folder, ONBOARD_HOME: join(folder, 'home') };
  expect(await onboard([command, file, 'load', '--sandbox'], env)).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: `onboard: "${file}" is a file and "load" a job; expected the job first: \`onboard ${command} load ${file}\`\n`,
  });
  const { stderr } = await onboard([command, join(folder, 'laod.yaml'), file], env);
  expect(stderr).toContain(`${folder} has load. Did you mean "load"?`);
});
