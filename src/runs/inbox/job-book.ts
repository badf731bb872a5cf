/**
 * The current definitions of a jobs folder: which folders are inboxes, and which job takes a file.
 * Every definition is right when a watcher starts; while one can't be used any more, nothing is
 * taken, and what is under way goes on.
 */
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Job, jobsBefore } from '../../config/job-definition.ts';
import { type FurtherProblems, listJobs, loadJob } from '../../config/load-job.ts';
import { fileStamp } from '../../lib/file-stamp.ts';
import { parsePathPattern } from '../../lib/path-pattern.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { passedOverBy } from './entry.ts';

export type JobBook = Awaited<ReturnType<typeof openJobBook>>;

/** `further` checks what no schema can; a UsageError lists all problems. */
export async function openJobBook(directory: string, home: string, further: FurtherProblems) {
  let signature = await signatureOf(directory);
  const load = () => loadAll(directory, home, further);
  /** As they were when all of them could last be used. */
  let jobs: readonly Job[] = await load();
  let problems: readonly string[] = [];
  return {
    jobs: () => jobs,
    problems: () => problems,
    /** Reads them again where a file was changed. */
    async refresh() {
      const next = await signatureOf(directory);
      if (next === signature) return;
      signature = next;
      problems = [];
      try {
        jobs = await load();
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        problems = error.problems;
      }
    },
  };
}

async function signatureOf(directory: string): Promise<string> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => /\.ya?ml$/.test(name));
  const stamps = names.map(async (name) => [
    name,
    await fileStamp(join(directory, name)).catch(() => 'not there'),
  ]);
  return JSON.stringify(await Promise.all(stamps));
}

async function loadAll(directory: string, home: string, further: FurtherProblems): Promise<Job[]> {
  const jobs: Job[] = [];
  const problems: string[] = [];
  for (const name of await listJobs(directory)) {
    try {
      jobs.push(await loadJob(name, directory, further));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(...error.problems);
    }
  }
  problems.push(...circleProblems(jobs), ...inboxProblems(jobs, home));
  if (problems.length > 0) throw new UsageError(problems);
  return jobs;
}

function circleProblems(jobs: readonly Job[]): string[] {
  const before = new Map(jobs.map(({ name, definition }) => [name, jobsBefore(definition)]));
  const done = new Set<string>();
  const problems: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    const start = path.indexOf(name);
    if (start >= 0) problems.push(circleWords([...path.slice(start), name]));
    if (start >= 0 || done.has(name)) return;
    for (const next of before.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const { name } of jobs) visit(name, []);
  return problems;
}

function circleWords(circle: readonly string[]): string {
  const [first = ''] = circle;
  const words =
    circle.length === 2 ? `job ${first} waits for itself` : `jobs wait for each other: ${circle.join(' → ')}`;
  return `${words} (after): expected an order that begins somewhere; take one of these out`;
}

export type Inbox = {
  readonly folder: string;
  /** ONBOARD_HOME's own, where only patterns choose the job. */
  readonly isMain: boolean;
  readonly jobs: readonly Job[];
};

/** A relative one is below ONBOARD_HOME. */
export function inboxesOf(jobs: readonly Job[], home: string): Inbox[] {
  const main = resolve(home, 'inbox');
  const own = new Map<string, Job[]>();
  for (const job of jobs) {
    const { inbox } = job.definition;
    const folder = inbox === undefined ? main : resolve(home, inbox);
    if (folder !== main) own.set(folder, [...(own.get(folder) ?? []), job]);
  }
  return [
    { folder: main, isMain: true, jobs },
    ...[...own].map(([folder, theirs]) => ({ folder, isMain: false, jobs: theirs })),
  ];
}

/** Uploads from the page are claimed in their own folder. */
export function uploadsOf(home: string): string {
  return resolve(home, 'uploads');
}

/** Where a file comes from, as a watcher says it; `undefined`: it lies in no place of one. */
export function deliveredFrom(path: string, job: Job, home: string): string | undefined {
  const file = resolve(path);
  // Each upload has a folder of its own there.
  if (file.startsWith(uploadsOf(home) + sep)) return '.';
  const inbox = inboxesOf([job], home).find(({ folder }) => file.startsWith(folder + sep));
  return inbox === undefined ? undefined : dirname(relative(inbox.folder, file));
}

/** Of a file of an inbox, as its run remembers it, wherever the home lies. */
export function folderFrom(home: string, inbox: string, path: string): string {
  return relative(home, join(inbox, dirname(path)));
}

export function isInboxOf(
  came: { readonly inbox: string; readonly job: string } | null,
  inboxes: readonly Inbox[],
): boolean {
  return inboxes.some(
    ({ folder, jobs }) => folder === came?.inbox && jobs.some(({ name }) => name === came.job),
  );
}

export function markersOf({ jobs }: Inbox): readonly string[] {
  return jobs.flatMap(({ definition }) => definition.marker ?? []);
}

const RESERVED = [
  'watching',
  'done',
  'failed',
  'reports',
  'journal',
  'redis',
  'sandbox',
  'uploads',
  'jobs-history',
];

/** A file would be in two places. */
function inboxProblems(jobs: readonly Job[], home: string): string[] {
  const reserved = RESERVED.map((name) => resolve(home, name));
  const inboxes = inboxesOf(jobs, home);
  return inboxes.flatMap(({ folder, isMain, jobs: theirs }) => {
    const others = inboxes.map((inbox) => inbox.folder).filter((other) => other !== folder);
    const clash = isMain ? undefined : [...others, ...reserved].find((other) => overlaps(folder, other));
    if (clash === undefined) return [];
    const names = theirs.map(({ name }) => name).join(', ');
    return [
      `job ${names}: inbox: ${folder} overlaps ${clash}: expected a folder apart from it; name another one`,
    ];
  });
}

function overlaps(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}

/** None or several make it a refused file. */
export function jobsFor(path: string, inbox: Inbox): Job[] {
  return inbox.jobs.filter(({ definition }) => {
    // A folder of a job's own is for that job, unless its patterns say more.
    if (patternsOf(definition).length === 0) return !inbox.isMain && passedOverBy(path).length === 0;
    return takesFile(definition, path);
  });
}

/** A name that is passed over needs a pattern that is, too: `*.bak`, not `*`. */
export function takesFile(definition: Pick<Job['definition'], 'files'>, path: string): boolean {
  const rules = passedOverBy(path);
  return patternsOf(definition)
    .filter((pattern) => rules.every((rule) => passedOverBy(pattern).includes(rule)))
    .some((pattern) => matcherOf(pattern)(path));
}

export function patternsOf({ files = [] }: Pick<Job['definition'], 'files'>): readonly string[] {
  return [files].flat();
}

const matchers = new Map<string, (path: string) => boolean>();

function matcherOf(pattern: string): (path: string) => boolean {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const parsed = parsePathPattern(pattern);
  if (typeof parsed === 'string') throw new Error(`files: expected ${parsed}`);
  matchers.set(pattern, parsed);
  return parsed;
}
