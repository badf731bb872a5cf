/**
 * What becomes of every entry of the inboxes: it is taken, waits or is refused. Pure, so that
 * `onboard status`, which does not watch, gets the same answer.
 */
import { type Job, jobsBefore } from '../config/job-definition.ts';
import { shownTime } from '../lib/terminal.ts';
import { type Entry, entryProblem, isNeverTaken, nameWhenWhole } from './entry.ts';
import { type Inbox, jobsFor, markersOf, patternsOf } from './job-book.ts';
import type { Fault } from './note.ts';

type WaitReason =
  /** `leftMs` as `restLeft`. */
  | { readonly kind: 'writing'; readonly leftMs: number }
  /** By its name it is not whole yet. */
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'marker'; readonly marker: string }
  | { readonly kind: 'schedule' }
  | { readonly kind: 'window'; readonly window: string }
  | { readonly kind: 'after'; readonly job: string; readonly because: string }
  /** A job definition can't be used: it may be the one that takes the file. */
  | { readonly kind: 'broken' };

export type Placed = { readonly inbox: Inbox; readonly entry: Entry };
export type Takeable = Placed & { readonly job: Job };
export type Refused = Placed & { readonly why: string; readonly fault: Fault };
type Waiting = Placed & { readonly job: string | null; readonly why: WaitReason };

export type InboxLook = { readonly inbox: Inbox; readonly entries: readonly Entry[] };

export type SortedOut = ReturnType<typeof sortOut>;

export type Circumstances = {
  /** Ms until the entry is at rest if nothing changes; `Infinity`: it is not waited for. */
  restLeft(placed: Placed): number;
  readonly isBroken: boolean;
  isHeldByWindow(job: Job): boolean;
  /** When the job's schedule last fired, ms; `null`: not yet. */
  releasedAt(job: string): number | null;
  /** Job → why jobs after it wait: its files and runs under way. */
  readonly busy: ReadonlyMap<string, string>;
};

type Fate =
  | ({ readonly kind: 'take' } & Takeable)
  | ({ readonly kind: 'refuse' } & Refused)
  | ({ readonly kind: 'wait' } & Waiting);

export function sortOut(looks: readonly InboxLook[], given: Circumstances) {
  const present = presentJobs(looks);
  const fates = looks
    .flatMap((look) => fatesIn(look, given))
    .map((fate) => (fate.kind === 'take' ? afterOthers(fate, given.busy, present) : fate));
  const wait = fates.filter((fate) => fate.kind === 'wait');
  const nextMs = wait.reduce(
    (soonest, { why }) => (why.kind === 'writing' ? Math.min(soonest, why.leftMs) : soonest),
    Number.POSITIVE_INFINITY,
  );
  return {
    take: fates.filter((fate) => fate.kind === 'take'),
    refuse: fates.filter((fate) => fate.kind === 'refuse'),
    wait,
    /** Ms until the next file may be whole; `null`: none is on its way. */
    nextMs: nextMs === Number.POSITIVE_INFINITY ? null : nextMs,
  };
}

function fatesIn({ inbox, entries }: InboxLook, given: Circumstances): Fate[] {
  const markers = markersOf(inbox);
  const plain = entries.filter(({ kind }) => kind === 'file');
  const files = new Set(plain.map(({ path }) => path));
  return entries.flatMap((entry): Fate[] => {
    const placed = { inbox, entry };
    if (isUnfinished(entry)) {
      const [job] = jobsFor(nameWhenWhole(entry.path), inbox);
      return [waiting(placed, job, { kind: 'unfinished' })];
    }
    const isAside = isNeverTaken(entry.name.toString('utf8'), markers);
    return isAside ? [] : [fateOf(placed, files, given)];
  });
}

function waiting(placed: Placed, job: Job | undefined, why: WaitReason): Fate {
  return { kind: 'wait', ...placed, job: job?.name ?? null, why };
}

function refused(placed: Placed, why: string, fault: Fault): Fate {
  return { kind: 'refuse', ...placed, why, fault };
}

function isUnfinished({ kind, name, path }: Entry): boolean {
  const isHidden = name.toString('utf8').startsWith('.');
  return kind === 'file' && !isHidden && nameWhenWhole(path) !== path;
}

function fateOf(placed: Placed, files: ReadonlySet<string>, given: Circumstances): Fate {
  const { inbox, entry } = placed;
  const leftMs = given.restLeft(placed);
  const problem = entryProblem(entry);
  const jobs = problem === null ? jobsFor(entry.path, inbox) : [];
  const [job] = jobs;
  if (leftMs > 0) return waiting(placed, job, { kind: 'writing', leftMs });
  if (problem !== null) return refused(placed, problem, entryFault(entry));
  if (given.isBroken) return waiting(placed, job, { kind: 'broken' });
  if (jobs.length > 1) return refused(placed, severalJobsWords(jobs), 'several-loads');
  if (job === undefined) return refused(placed, noJobWords(inbox), 'no-load');
  const why = waitReason({ ...placed, job }, files, given);
  return why === null ? { kind: 'take', ...placed, job } : waiting(placed, job, why);
}

function entryFault({ kind, links }: Pick<Entry, 'kind' | 'links'>): Fault {
  return kind === 'file' && links === 1 ? 'name' : 'kind';
}

function noJobWords(inbox: Inbox): string {
  const all = inbox.jobs.flatMap(({ definition }) => patternsOf(definition));
  const patterns = [...new Set(all)].sort();
  const expected =
    patterns.length === 0
      ? 'no job names the files that it takes'
      : `expected a name such as one of these: ${patterns.join(', ')}`;
  return `its name and folder belong to no kind of load: ${expected}`;
}

function severalJobsWords(jobs: readonly Job[]): string {
  const names = jobs.map(({ name }) => name).join(' and ');
  const meant = 'it is not clear which one is meant';
  return `its name and folder belong to more than one kind of load (${names}): ${meant}`;
}

function waitReason(
  { entry, job }: Takeable,
  files: ReadonlySet<string>,
  given: Circumstances,
): WaitReason | null {
  const { marker, schedule, window } = job.definition;
  if (marker !== undefined && !files.has(entry.path + marker)) return { kind: 'marker', marker };
  // Only a file that was whole when the schedule fired is taken: nothing changed since.
  const releasedAt = given.releasedAt(job.name) ?? Number.NEGATIVE_INFINITY;
  if (schedule !== undefined && entry.changedMs > releasedAt) return { kind: 'schedule' };
  return window !== undefined && given.isHeldByWindow(job) ? { kind: 'window', window } : null;
}

/** Job → its file in an inbox, whole or on its way. */
export function presentJobs(looks: readonly InboxLook[]): ReadonlyMap<string, string> {
  const present = new Map<string, string>();
  for (const { inbox, entries } of looks) {
    const markers = markersOf(inbox);
    for (const entry of entries) {
      const path = nameWhenWhole(entry.path);
      const isAside = path === entry.path && isNeverTaken(entry.name.toString('utf8'), markers);
      if (isAside || entryProblem(entry) !== null) continue;
      for (const { name } of jobsFor(path, inbox)) present.set(name, entry.path);
    }
  }
  return present;
}

function afterOthers(
  { job, inbox, entry }: Takeable,
  busy: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): Fate {
  for (const other of jobsBefore(job.definition)) {
    const file = present.get(other);
    const because = file === undefined ? busy.get(other) : `${file} waits in the inbox`;
    if (because !== undefined) return waiting({ inbox, entry }, job, { kind: 'after', job: other, because });
  }
  return { kind: 'take', inbox, entry, job };
}

/** Job → when its schedule fires next. */
type Next = ReadonlyMap<string, Date>;

/** Every upload passes through these, so a watcher doesn't report them. */
const PASSING: readonly WaitReason['kind'][] = ['writing', 'unfinished'];

/** One line per job and reason. */
export function waitingLines(waiting: readonly Waiting[], next: Next): ReadonlyMap<string, string> {
  return groupedLines(
    waiting.filter(({ why }) => !PASSING.includes(why.kind)),
    next,
  );
}

export function leftLines(waiting: readonly Waiting[], next: Next): readonly string[] {
  const lines = [...groupedLines(waiting, next).values()];
  return lines.length === 0 ? [] : ['Left in the inbox:', ...lines.map((line) => `  ${line}`)];
}

function groupedLines(waiting: readonly Waiting[], next: Next): ReadonlyMap<string, string> {
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const { job, why } = one;
    const key = [job, why.kind, why.kind === 'after' ? why.job : ''].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return new Map([...groups].map(([key, group]) => [key, lineOf(group, next)]));
}

function lineOf(group: readonly Waiting[], next: Next): string {
  const [first] = group;
  if (first === undefined) return '';
  const more = group.length === 1 ? ' waits' : ` and ${group.length - 1} more wait`;
  return `${first.entry.path}${more} ${reasonWords(first, next)}`;
}

/** `for the schedule of job …, next 2026-11-21 22:00 UTC`: follows "waits". */
export function reasonWords({ job, why }: Pick<Waiting, 'job' | 'why'>, next: Next): string {
  switch (why.kind) {
    case 'writing':
      return 'until nothing of it has changed for a while';
    case 'unfinished':
      return 'until it is renamed: its name says that it is not whole yet';
    case 'marker':
      return `for its marker file, of its own name and ${why.marker}`;
    case 'schedule':
      return `for the schedule of job ${job ?? ''}, ${nextWords(next.get(job ?? ''))}`;
    case 'window':
      return `for the window ${why.window} of job ${job ?? ''} to open`;
    case 'after':
      return `for job ${why.job}: ${why.because}`;
    case 'broken':
      return 'until every job definition can be used';
    default:
      return why satisfies never;
  }
}

function nextWords(next: Date | undefined): string {
  return next === undefined ? 'which no watcher has set yet' : `next ${shownTime(next, 'UTC')}`;
}
