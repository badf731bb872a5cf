/**
 * Job definitions as files, found by name in the jobs folder or by path. A definition is used whole
 * or not at all; every problem is told with its line and setting.
 */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { didYouMean } from '../lib/did-you-mean.ts';
import { errorCode, hasCode } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { ADOPTIONS } from '../operations/operations.ts';
import { lockedProblems, writtenIn } from './job-change.ts';
import {
  formSettingsSchema,
  type Job,
  type JobDefinition,
  jobDefinitionSchema,
  jobsBefore,
} from './job-definition.ts';
import { type JobProblem, jobProblems } from './job-problems.ts';
import { type DocumentPath, readDocument } from './yaml-document.ts';

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml']);
/** No separators and no leading dot: a job's name can't lead out of the jobs folder. */
const JOB_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** Far more than a definition that people write; reading YAML takes seconds for each megabyte. */
const MAX_BYTES = 262_144;

/** Finds what is wrong with a definition that its schema lets pass, in words. */
export type FurtherProblems = (definition: JobDefinition) => readonly string[];

const SHIPPED = join(dirname(createRequire(import.meta.url).resolve('onboard/package.json')), 'jobs');

/**
 * The job of that name in the jobs folder, else of the shipped ones; a UsageError has all problems.
 */
export async function loadJob(
  name: string,
  jobsDirectory: string,
  further: FurtherProblems = () => [],
): Promise<Job> {
  const files = await jobFiles(jobsDirectory);
  const isShipped = !files.map(nameOf).includes(name) && (await listJobs(SHIPPED)).includes(name);
  if (isShipped && jobsDirectory !== SHIPPED) return loadJob(name, SHIPPED, further);
  const [file, other] = JOB_NAME.test(name) ? files.filter((entry) => nameOf(entry) === name) : [];
  if (file === undefined)
    throw new UsageError(unknownJob(name, jobsDirectory, files.map(nameOf), await listJobs(SHIPPED)));
  if (other !== undefined) {
    throw new UsageError(
      `job "${name}": ${jobsDirectory} has both ${file} and ${other}; expected one of them`,
    );
  }
  return loadFile(join(jobsDirectory, file), files.map(nameOf), further);
}

export async function loadJobFile(path: string, further: FurtherProblems = () => []): Promise<Job> {
  return loadFile(path, null, further);
}

/** From the page's form, judged as a file of that name would be. */
export function parseFormJob(text: string, name: string, further: FurtherProblems = () => []): Job {
  return parsePageJob({ text, name, beyond: beyondForm }, further);
}

type JobText = { readonly name: string; readonly text: string };

/** From the page, in place of the text `before`, of which the locked settings stand. */
export function parseChangedJob(
  { name, text, before }: JobText & { readonly before: string },
  further: FurtherProblems = () => [],
): Job {
  const written = writtenIn(before);
  const beyond = () => lockedProblems(written, writtenIn(text));
  return parsePageJob({ name, text, beyond }, further);
}

type PageJob = JobText & { beyond(value: unknown): readonly JobProblem[] };

function parsePageJob({ text, name, beyond }: PageJob, further: FurtherProblems): Job {
  if (!JOB_NAME.test(name) || Buffer.byteLength(text) > MAX_BYTES)
    throw new UsageError(
      `job "${name}": expected a name of letters, digits, ".", "_" ` +
        `and "-", and a definition of at most ${MAX_BYTES} bytes`,
    );
  const definition = parseDefinition(text, `${name}.yaml`, { name, jobs: null }, beyond);
  const problems = further(definition);
  if (problems.length > 0) throw new UsageError(problems.map((problem) => `${name}.yaml: ${problem}`));
  return { name, definition };
}

/** `jobs`: the names in its folder; `null`: that is no jobs folder. */
async function loadFile(
  path: string,
  jobs: readonly string[] | null,
  further: FurtherProblems,
): Promise<Job> {
  const name = nameOf(path);
  if (!EXTENSIONS.has(extname(path)) || !JOB_NAME.test(name)) {
    throw new UsageError(
      `${path}: expected a job definition, a file such as partner-x.yaml: ` +
        'letters, digits, ".", "_" and "-", ending in .yaml or .yml',
    );
  }
  const definition = parseDefinition(await readText(path), path, { name, jobs });
  const problems = further(definition);
  if (problems.length > 0) throw new UsageError(problems.map((problem) => `${path}: ${problem}`));
  return { name, definition, file: path };
}

/** `null`: the folder has no file of that job, or two. */
export async function readJobText(name: string, directory: string) {
  const [file, other] = (await jobFiles(directory)).filter((entry) => nameOf(entry) === name);
  if (file === undefined || other !== undefined) return null;
  const path = join(directory, file);
  return { path, text: await readText(path) };
}

export async function knownJobs(jobsDirectory: string): Promise<readonly string[]> {
  return [...new Set([...(await listJobs(jobsDirectory)), ...(await listJobs(SHIPPED))])];
}

export async function listJobs(jobsDirectory: string): Promise<readonly string[]> {
  return [...new Set((await jobFiles(jobsDirectory)).map(nameOf))];
}

function parseDefinition(
  text: string,
  path: string,
  names: JobNames,
  more: (value: unknown) => readonly JobProblem[] = () => [],
): Job['definition'] {
  const document = readDocument(text);
  if (document.kind === 'problems') {
    throw new UsageError(document.problems.map(({ line, problem }) => `${path}, line ${line}: ${problem}`));
  }
  if (document.value === null) {
    throw new UsageError(`${path}: the file has no settings; expected at least "operation: …"`);
  }
  const parsed = jobDefinitionSchema.safeParse(document.value);
  const problems = parsed.success
    ? [...adoptionProblems(parsed.data), ...orderProblems(parsed.data, names), ...more(document.value)]
    : jobProblems(parsed.error.issues, document.value);
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new UsageError(
    problems.map(
      (one) => () => `${path}, line ${document.lineOf(one.path)}${describePath(one.path)}: ${one.words()}`,
    ),
  );
}

/** Its runs are made by a command, which looks at the whole file first. */
function adoptionProblems({ operation }: Job['definition']): readonly JobProblem[] {
  if (!ADOPTIONS.some((one) => one === operation)) return [];
  return [
    {
      path: ['operation'],
      words: () => 'expected one that sends something; `onboard adopt` does this',
    },
  ];
}

function beyondForm(value: unknown): readonly JobProblem[] {
  const issues = formSettingsSchema.safeParse(value).error?.issues ?? [];
  const words = () =>
    'the form of the page has no such setting: expected a definition that is put into the jobs folder by hand';
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((name) => ({ path: [...issue.path, name], words }))
      : [{ path: issue.path, words }],
  );
}

type JobNames = {
  readonly name: string;
  readonly jobs: readonly string[] | null;
};

function orderProblems(
  definition: Pick<JobDefinition, 'after'>,
  { name, jobs }: JobNames,
): readonly JobProblem[] {
  return jobsBefore(definition).flatMap((before) => {
    if (before === name) return [orderProblem('expected other jobs: a job can not wait for itself.')];
    if (jobs === null || jobs.includes(before)) return [];
    return [orderProblem(`there is no job "${before}" beside this one.${didYouMean(before, jobs)}`)];
  });
}

function orderProblem(text: string): JobProblem {
  return { path: ['after'], words: () => text };
}

/** `fields."details.name".as`: names that contain dots stand in quotes. */
function describePath(path: DocumentPath): string {
  const names = path.map(String).map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name)));
  return names.length === 0 ? '' : `, ${names.join('.')}`;
}

async function jobFiles(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
    return names.filter((name) => EXTENSIONS.has(extname(name)) && JOB_NAME.test(nameOf(name))).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw new UsageError(`${directory}: the jobs folder can't be read (${errorCode(error)})`, {
      cause: error,
    });
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path}: ${unreadableWords(errorCode(error))}`, { cause: error });
  });
  if (bytes.length > MAX_BYTES) {
    throw new UsageError(
      `${path}: expected a job definition of at most ${MAX_BYTES} bytes, got ${bytes.length}`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${path}: expected UTF-8 text`, { cause: error });
  }
}

function unreadableWords(code: string): string {
  switch (code) {
    case 'ENOENT':
      return 'there is no such file: expected the path of a job definition; check the spelling and the folder';
    case 'EISDIR':
      return 'is a folder: expected the path of a job definition in it';
    default:
      return `the job definition can't be read (${code}): expected a file that this user may read`;
  }
}

function unknownJob(
  name: string,
  directory: string,
  jobs: readonly string[],
  shipped: readonly string[],
): string {
  const hint = didYouMean(nameOf(name), [...jobs, ...shipped]);
  if (jobs.length === 0)
    return (
      `there is no job "${name}": ${directory} has no job definitions.${hint} Set ONBOARD_JOBS to the folder that ` +
      `has them, or use --job-file for a definition from elsewhere. Shipped with the program: ${shipped.join(', ')}.`
    );
  const all = [...new Set(jobs)].join(', ');
  return `there is no job "${name}": ${directory} has ${all}.${hint} Use --job-file for a definition from elsewhere.`;
}

function nameOf(path: string): string {
  return basename(path, extname(path));
}
