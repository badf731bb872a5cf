/**
 * The job and files of a command line, loaded before anything else: every file is read once to its
 * end, so that nothing is sent where one of them is broken or doesn't fit the job.
 */
import type { Environment } from '../config/environment.ts';
import { type Job, operationOf } from '../config/job-definition.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { definitionProblems, mappingFor } from '../delivery/run-mapping.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { FileMapping } from '../model/mapping.ts';
import type { FileFacts } from '../model/source.ts';
import { spaceOf } from '../operations/operations.ts';
import { surveyFor } from './rows.ts';

export type Input = { readonly job: Job; readonly files: readonly FileFacts[] };

export type InputArguments = {
  readonly command: 'run' | 'check' | 'adopt';
  readonly job: string | undefined;
  readonly jobFile: string | undefined;
  readonly files: readonly string[];
};

/** Every file is read to its end before anything is begun. */
export async function loadInput(env: Environment, args: InputArguments): Promise<Input> {
  const { job, paths } = await loadNamed(env, args);
  return sayingWhere(job, async () => {
    const files: FileFacts[] = [];
    for (const path of paths) files.push(await surveyFor(job, path));
    for (const facts of files) mappingOf(job, facts);
    return { job, files };
  });
}

/** Says beside what is wrong with a setting of `format`, or lacks, where it is given. */
export async function sayingWhere<T>(where: Job | string, read: () => Promise<T>): Promise<T> {
  return read().catch((error: unknown) => {
    const isAboutFormat = error instanceof UsageError && error.message.includes('format.');
    const place = typeof where === 'string' ? where : `Such settings stand in the job file: ${where.file}`;
    throw isAboutFormat ? new UsageError([...error.problems, place], { cause: error }) : error;
  });
}

export async function loadNamed(
  env: Environment,
  args: InputArguments,
): Promise<{ readonly job: Job; readonly paths: readonly string[] }> {
  const { job, files, jobFile, command } = args;
  if (jobFile !== undefined) {
    const paths = [...(job === undefined ? [] : [job]), ...files];
    if (paths.length === 0) throw new UsageError(noFile(command));
    return { job: await loadJobFile(jobFile, definitionProblems), paths };
  }
  if (job === undefined) {
    throw new UsageError(
      `No job: expected \`onboard ${command} JOB FILE...\`, or --job-file with a definition.`,
    );
  }
  if (files.length === 0) throw new UsageError(noFile(command));
  return { job: await loadJob(job, env.jobsDirectory, definitionProblems), paths: files };
}

function noFile(command: string): string {
  return `No file: expected \`onboard ${command} JOB FILE...\`, a job and one or more files after it.`;
}

/** A UsageError has the file's name. */
export function mappingOf(job: Job, { path, source }: Pick<FileFacts, 'path' | 'source'>): FileMapping {
  try {
    return mappingFor(job.definition, source);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.problems.map((problem) => `${path}: ${problem}`));
  }
}

/** A file without rows is taken like any other: a person may have expected rows. */
export function noRowsWords(path: string): string {
  return `${path} has no rows: there is nothing to send. If there should be some, export the file again.`;
}

export function cautions(
  { definition }: Job,
  files: readonly Pick<FileFacts, 'path' | 'rows'>[],
): readonly string[] {
  const keyless = spaceOf(operationOf(definition)) !== null && definition.key === undefined;
  return [
    ...files.filter(({ rows }) => rows === 0).map(({ path }) => noRowsWords(path)),
    ...(keyless
      ? [
          'the job names no key: a row is known by all that is sent of ' +
            'it, and is created again where one value changes.',
        ]
      : []),
  ];
}
