/**
 * What becomes of every entry of the inboxes: it is taken, waits or is refused. Pure, so that
 * `onboard status`, which does not watch, gets the same answer. Also why files wait, in words.
 */
import { type Job, jobsBefore } from '../config/job-definition.ts';
import { shownTime } from '../lib/terminal.ts';
import { type Entry, entryProblem, isNeverTaken, nameWhenWhole } from './entry.ts';
import { type Inbox, jobsFor, markersOf, patternsOf } from './job-book.ts';
import type { Fault } from './note.ts';

type WaitReason =
  | { readonly kind: 'writing' }
  /** By its name it is not whole yet. */
  | { readonly kind: 'unfinished' }
  /** Written to without end: not waited for. */
  | { readonly kind: 'restless' }
  | { readonly kind: 'marker'; readonly marker: string }
  | { readonly kind: 'schedule' }
  | { readonly kind: 'window'; readonly window: string }
  | { readonly kind: 'after'; readonly job: string; readonly because: string }
  | { readonly kind: 'broken'; readonly jobs: readonly string[] };

export type Placed = { readonly inbox: Inbox; readonly entry: Entry };
export type Takeable = Placed & { readonly job: Job };
export type Refused = Placed & { readonly why: string; readonly fault: Fault };
type Waiting = Placed & { readonly job: string | null; readonly why: WaitReason };

export type InboxLook = { readonly inbox: Inbox; readonly entries: readonly Entry[] };

export type SortedOut = {
  readonly take: readonly Takeable[];
  readonly refuse: readonly Refused[];
  readonly wait: readonly Waiting[];
  /** Ms until the next file may be whole; `null`: none is on its way. */
  readonly nextMs: number | null;
};

type Circumstances = {
  /** Ms until the entry is at rest if nothing changes. */
  restLeft(placed: Placed): number;
  /** Whether to wait no longer for an entry that never rests. */
  isGivenUp?(placed: Placed, hasJob: boolean): boolean;
  readonly broken: ReadonlySet<string>;
  /** The job's window is closed: no run of it begins. */
  isHeldByWindow(job: Job): boolean;
  /** When the job's schedule last fired, ms; `null`: not yet. */
  releasedAt(job: string): number | null;
  /** Job → why jobs after it wait: its files and runs under way. */
  readonly busy: ReadonlyMap<string, string>;
};

/** Empty: the entry is never taken. */
type Sorted = {
  readonly take?: Takeable;
  readonly refuse?: Refused;
  readonly wait?: Waiting;
  readonly nextMs?: number;
};

/** Touches nothing. */
export function sortOut(looks: readonly InboxLook[], given: Circumstances): SortedOut {
  const sorted = looks.flatMap((look) => sortInbox(look, given));
  const present = presentJobs(looks);
  const held = sorted.flatMap(({ take }) =>
    take === undefined ? [] : [{ take, why: blockOf(take.job, given.busy, present) }],
  );
  const nextMs = sorted.reduce((soonest, one) => Math.min(soonest, one.nextMs ?? soonest), Infinity);
  return {
    take: held.flatMap(({ take, why }) => (why === null ? [take] : [])),
    refuse: sorted.flatMap(({ refuse }) => refuse ?? []),
    wait: [
      ...sorted.flatMap(({ wait }) => wait ?? []),
      ...held.flatMap(({ take, why }) => (why === null ? [] : [{ ...take, job: take.job.name, why }])),
    ],
    nextMs: nextMs === Infinity ? null : nextMs,
  };
}

function sortInbox({ inbox, entries }: InboxLook, given: Circumstances): Sorted[] {
  const markers = markersOf(inbox);
  const files = new Set(entries.filter(({ kind }) => kind === 'file').map(({ path }) => path));
  return entries.map((entry) => {
    const placed = { inbox, entry };
    if (isUnfinished(entry)) {
      const [job] = jobsFor(nameWhenWhole(entry.path), inbox);
      return { wait: { ...placed, job: job?.name ?? null, why: { kind: 'unfinished' } } };
    }
    const isAside = isNeverTaken(entry.name.toString('utf8'), markers);
    return isAside ? {} : sortEntry(placed, files, given);
  });
}

function isUnfinished({ kind, name, path }: Entry): boolean {
  const isHidden = name.toString('utf8').startsWith('.');
  return kind === 'file' && !isHidden && nameWhenWhole(path) !== path;
}

function sortEntry(placed: Placed, files: ReadonlySet<string>, given: Circumstances): Sorted {
  const { inbox, entry } = placed;
  const left = given.restLeft(placed);
  const problem = entryProblem(entry);
  const jobs = problem === null ? jobsFor(entry.path, inbox) : [];
  const [job] = jobs;
  if (left > 0) {
    const isGivenUp = given.isGivenUp?.(placed, job !== undefined) === true;
    const why = { kind: isGivenUp ? 'restless' : 'writing' } as const;
    return { wait: { ...placed, job: job?.name ?? null, why }, ...(isGivenUp ? {} : { nextMs: left }) };
  }
  if (problem !== null) return { refuse: { ...placed, why: problem, fault: entryFault(entry) } };
  if (jobs.length > 1) return { refuse: { ...placed, why: severalJobsWords(jobs), fault: 'several-loads' } };
  if (job !== undefined) {
    const why = waitReason({ ...placed, job }, files, given);
    return why === null ? { take: { ...placed, job } } : { wait: { ...placed, job: job.name, why } };
  }
  // A definition that can't be used right now may be the one that takes the file.
  if (given.broken.size > 0)
    return { wait: { ...placed, job: null, why: { kind: 'broken', jobs: [...given.broken] } } };
  return { refuse: { ...placed, why: noJobWords(inbox), fault: 'no-load' } };
}

/** For an entry that no job can take. */
function entryFault({ kind, links }: Pick<Entry, 'kind' | 'links'>): Fault {
  return kind === 'file' && links === 1 ? 'name' : 'kind';
}

function noJobWords(inbox: Inbox): string {
  const patterns = [...new Set(inbox.jobs.flatMap(({ definition }) => patternsOf(definition)))].sort();
  const expected =
    patterns.length === 0
      ? 'no job names the files that it takes'
      : `expected a name such as one of these: ${patterns.join(', ')}`;
  return `its name and folder belong to no kind of load: ${expected}`;
}

function severalJobsWords(jobs: readonly Job[]): string {
  const names = jobs.map(({ name }) => name).join(' and ');
  return `its name and folder belong to more than one kind of load (${names}): it is not clear which one is meant`;
}

function waitReason(
  { entry, job }: Takeable,
  files: ReadonlySet<string>,
  given: Circumstances,
): WaitReason | null {
  const { marker, schedule, window } = job.definition;
  if (given.broken.has(job.name)) return { kind: 'broken', jobs: [job.name] };
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

/** A file waits while there is a file or a run of a job that it comes after. */
function blockOf(
  job: Job,
  busy: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): WaitReason | null {
  for (const other of jobsBefore(job.definition)) {
    const file = present.get(other);
    const because = file === undefined ? busy.get(other) : `${file} waits in the inbox`;
    if (because !== undefined) return { kind: 'after', job: other, because };
  }
  return null;
}

/** Every upload passes through these, so a watcher doesn't report them. */
const PASSING: readonly WaitReason['kind'][] = ['writing', 'unfinished', 'restless'];

/** One line per job and reason, by a key that lasts as long as they do. */
export function waitingLines(
  waiting: readonly Waiting[],
  next: ReadonlyMap<string, Date>,
): ReadonlyMap<string, string> {
  return groupedLines(
    waiting.filter(({ why }) => !PASSING.includes(why.kind)),
    next,
  );
}

/** What is left when a watcher ends, and why; empty: nothing. */
export function leftLines(waiting: readonly Waiting[], next: ReadonlyMap<string, Date>): readonly string[] {
  const lines = [...groupedLines(waiting, next).values()];
  return lines.length === 0 ? [] : ['Left in the inbox:', ...lines.map((line) => `  ${line}`)];
}

function groupedLines(
  waiting: readonly Waiting[],
  next: ReadonlyMap<string, Date>,
): ReadonlyMap<string, string> {
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const key = [one.job ?? '', one.why.kind, one.why.kind === 'after' ? one.why.job : ''].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return new Map([...groups].map(([key, group]) => [key, lineOf(group, next)]));
}

function lineOf(group: readonly Waiting[], next: ReadonlyMap<string, Date>): string {
  const [first] = group;
  if (first === undefined) return '';
  const more = group.length === 1 ? ' waits' : ` and ${group.length - 1} more wait`;
  return `${first.entry.path}${more} ${reasonWords(first, next)}`;
}

/** `for the schedule of job …, next 2026-11-21 22:00 UTC`: follows "waits". */
export function reasonWords(
  { job, why }: Pick<Waiting, 'job' | 'why'>,
  next: ReadonlyMap<string, Date>,
): string {
  switch (why.kind) {
    case 'writing':
      return 'until nothing of it has changed for a while';
    case 'unfinished':
      return 'until it is renamed: its name says that it is not whole yet';
    case 'restless':
      return 'until nothing of it has changed for a while: it is still written to, and is left for the next start';
    case 'marker':
      return `for its marker file, of its own name and ${why.marker}`;
    case 'schedule':
      return `for the schedule of job ${job ?? ''}, ${nextWords(next.get(job ?? ''))}`;
    case 'window':
      return `for the window ${why.window} of job ${job ?? ''} to open`;
    case 'after':
      return `for job ${why.job}: ${why.because}`;
    case 'broken':
      return `until the definition of ${why.jobs.join(', ')} is corrected`;
    default:
      return why satisfies never;
  }
}

function nextWords(next: Date | undefined): string {
  return next === undefined ? 'which no watcher has set yet' : `next ${shownTime(next, 'UTC')}`;
}
