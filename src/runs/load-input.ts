import type { Environment } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import { listJobs } from '../config/load-job.ts';
import { surveyFile } from '../intake/survey.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Mapping } from '../model/mapping.ts';
import type { FileFacts } from '../model/source.ts';
import { mappingFor } from '../session.ts';
import { loadFittingJob, loadFittingJobFile } from './fitting-job.ts';
import { misplacedJob, type Placing } from './misplaced-job.ts';

/** A job and the files to be taken through it, as `<job> <file...>` or `--job-file F <file...>` names them. */
export type Input = { readonly job: Job; readonly files: readonly FileFacts[] };

export type InputArguments = Omit<Placing, 'job'> & {
  readonly job: string | undefined;
  readonly jobFile: string | undefined;
};

/** Loads the job and reads every file once to its end, so that nothing is sent where one of them is broken or doesn't fit the job. */
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
  const misplaced = await misplacedJob({ ...args, job }, await listJobs(env.jobsDirectory));
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
