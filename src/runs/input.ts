/**
 * The job and the files that a command line names, loaded and looked at before anything else is done: every file is
 * read once to its end, so that nothing is sent where one of them is broken or doesn't fit the job.
 */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { type Job, operationOf } from '../config/job-definition.ts';
import { knownJobs, loadJob, loadJobFile } from '../config/load-job.ts';
import { definitionProblems, mappingFor } from '../delivery/run-mapping.ts';
import { surveyFile } from '../intake/survey.ts';
import { anywhere, shellWord } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Mapping } from '../model/mapping.ts';
import { spaceOf } from '../model/operation.ts';
import type { FileFacts, SourceInfo } from '../model/source.ts';

/** A job and the files to be taken through it, as `<job> <file...>` or `--job-file F <file...>` names them. */
export type Input = { readonly job: Job; readonly files: readonly FileFacts[] };

export type InputArguments = Omit<Placing, 'job'> & {
  readonly job: string | undefined;
  readonly jobFile: string | undefined;
};

/** Loads the job and surveys every file: each is read to its end before anything is begun. */
export async function loadInput(env: Environment, args: InputArguments): Promise<Input> {
  const { job, paths } = await loadNamed(env, args);
  const files: FileFacts[] = [];
  for (const path of paths) files.push(await surveyFile(path, job.definition.format));
  for (const facts of files) mappingOf(job, facts);
  return { job, files };
}

/** Loads the job alone and says which files are meant. */
export async function loadNamed(
  env: Environment,
  args: InputArguments,
): Promise<{ readonly job: Job; readonly paths: readonly string[] }> {
  const { job, files, jobFile, command } = args;
  if (jobFile !== undefined) {
    const paths = [...(job === undefined ? [] : [job]), ...files];
    if (paths.length === 0) throw new UsageError(NO_FILE);
    return { job: await loadFittingJobFile(jobFile), paths };
  }
  if (job === undefined) {
    throw new UsageError(
      `No job: expected \`onboard ${command} <job> <file...>\`, or --job-file with a definition.`,
    );
  }
  const misplaced = await misplacedJob({ ...args, job }, await knownJobs(env.jobsDirectory));
  if (misplaced !== null) throw new UsageError(misplaced);
  if (files.length === 0) throw new UsageError(NO_FILE);
  return { job: await loadFittingJob(job, env.jobsDirectory), paths: files };
}

const NO_FILE = 'No file: expected one or more files after the job.';

/** The job compiled against a file's columns; the UsageError has the file's name. */
export function mappingOf(job: Job, { path, source }: Pick<FileFacts, 'path' | 'source'>): Mapping {
  try {
    return mappingFor(job.definition, source);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.problems.map((problem) => `${path}: ${problem}`));
  }
}

/** The job of that name in the jobs folder; a UsageError also where it names fields that its operation doesn't have. */
export function loadFittingJob(name: string, jobsDirectory: string): Promise<Job> {
  return loadJob(name, jobsDirectory, definitionProblems);
}

/** The job in that file, with the same checks. */
export function loadFittingJobFile(path: string): Promise<Job> {
  return loadJobFile(path, definitionProblems);
}

/** A word on a file without rows: it is taken to its end like any other, and somebody may have expected rows in it. */
export function noRowsWords(
  path: string,
  { type, headerLine }: Pick<SourceInfo, 'type' | 'headerLine'>,
): string {
  const found = NOTHING[type].replace('LINE', String(headerLine));
  return `${path} has no rows: ${found}. There is nothing to send; if there should be some, export the file again.`;
}

const NOTHING: Readonly<Record<SourceInfo['type'], string>> = {
  csv: 'there is a header on line LINE, and nothing below it',
  xlsx: 'the sheet has a header in row LINE, and nothing below it',
  json: 'its list of records is empty',
  ndjson: 'there is no object in it',
};

/** What a person should know before a run of these files, though nothing is wrong with them. */
export function cautions({ definition }: Job, files: readonly FileFacts[]): string[] {
  const keyless = spaceOf(operationOf(definition)) !== null && definition.key === undefined;
  return [
    ...files.filter(({ rows }) => rows === 0).map(({ path, source }) => noRowsWords(path, source)),
    ...(keyless
      ? [
          'the job names no key: the same rows in another file, or in this one saved again, would be created again.',
        ]
      : []),
  ];
}

/** A command line as far as it says which job and which files are meant. */
export type Placing = {
  readonly command: 'run' | 'check';
  /** What stands where a job is expected. */
  readonly job: string;
  readonly files: readonly string[];
  /** The whole command as it was typed. */
  readonly typed: string;
};

/** What was probably meant where a file stands in a job's place, with the right command; `null` where none does. */
export async function misplacedJob(given: Placing, jobs: readonly string[]): Promise<string | null> {
  const { command, job, files } = given;
  if (jobs.includes(job) || !(await isFile(job))) return null;
  if (['.yaml', '.yml'].includes(extname(job))) {
    const meant = retyped(given, ['--job-file', job, ...files]);
    return `"${job}" is a file: expected the name of a job in ONBOARD_JOBS, or --job-file: ${meant}`;
  }
  const swapped = files.find((file) => jobs.includes(file));
  if (swapped !== undefined) {
    const rest = files.filter((file) => file !== swapped);
    return `"${job}" is a file and "${swapped}" a job; expected the job first: ${retyped(given, [swapped, job, ...rest])}`;
  }
  const known = jobs.length === 0 ? '' : `, with one of ${jobs.join(', ')} for its job`;
  return `"${job}" is a file; expected a job before it: \`onboard ${command} <job> ${[job, ...files].map(shellWord).join(' ')}\`${known}.`;
}

/** The command with other words in the place of job and files; the options stay where they stand beside them. */
function retyped({ command, job, files, typed }: Placing, words: readonly string[]): string {
  const before = [command, job, ...files].map(anywhere).map(shellWord).join(' ');
  const after = [command, ...words].map(anywhere).map(shellWord).join(' ');
  const whole = typed.includes(before) ? typed.replace(before, () => after) : `onboard ${after}`;
  return `\`${whole}\``;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
