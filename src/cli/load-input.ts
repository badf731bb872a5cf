import type { Environment } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import { surveyFile } from '../intake/survey.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Mapping } from '../model/mapping.ts';
import type { FileFacts } from '../model/source.ts';
import { mappingFor } from '../wiring.ts';
import { loadFittingJob, loadFittingJobFile } from './fitting-job.ts';

/** A job and the files to be taken through it, as `<job> <file...>` or `--job-file F <file...>` names them. */
export type Input = { readonly job: Job; readonly files: readonly FileFacts[] };

export type InputArguments = {
  readonly job: string | undefined;
  readonly files: readonly string[];
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
  const { jobFile } = args;
  const named = args.job === undefined ? [] : [args.job];
  const paths = jobFile === undefined ? args.files : [...named, ...args.files];
  if (args.job === undefined && jobFile === undefined) {
    throw new UsageError('No job: expected `onboard run <job> <file...>`, or --job-file with a definition.');
  }
  if (paths.length === 0) throw new UsageError('No file: expected one or more files after the job.');
  const job =
    jobFile === undefined
      ? await loadFittingJob(args.job ?? '', env.jobsDirectory)
      : await loadFittingJobFile(jobFile);
  return { job, paths };
}

/** The job compiled against a file's columns; the UsageError has the file's name. */
export function mappingOf(job: Job, { path, source }: Pick<FileFacts, 'path' | 'source'>): Mapping {
  try {
    return mappingFor(job.definition, source);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.problems.map((problem) => `${path}: ${problem}`));
  }
}
