/**
 * What becomes of every entry of the inboxes: it is taken, waits or is refused. Pure, so that
 * `onboard status`, which does not watch, gets the same answer.
 */
import { type Job, jobsBefore } from '../../config/job-definition.ts';
import { shownTime } from '../../lib/terminal.ts';
import { type Entry, entryProblem, isHidden, isNeverTaken, nameWhenWhole, passedOverBy } from './entry.ts';
import { type Inbox, jobsFor, markersOf, patternsOf, takesFile } from './job-book.ts';
import type { Fault } from './note.ts';

type WaitReason =
  /** `leftMs` as `restLeft`. */
  | { readonly kind: 'writing'; readonly leftMs: number }
  /** By its name it is not whole yet. */
  | { readonly kind: 'unfinished' }
  /** So it has stood for an hour under a name that is passed over. */
  | { readonly kind: 'passed-over'; readonly sinceMs: number }
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
  readonly now: number;
  /** Ms until the entry is at rest if nothing changes; `Infinity`: it is not waited for. */
  restLeft(placed: Placed): number;
  readonly isBroken: boolean;
  isHeldByWindow(job: Job): boolean;
  /** When the job's schedule last fired, ms; `null`: not yet. */
  releasedAt(job: string): number | null;
  /** The job of an answer that a partner has corrected, whatever its name; `null`: it is none. */
  replyJob(placed: Placed): string | null;
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
  const plain = entries.filter(({ kind }) => kind === 'file');
  const files = new Set(plain.map(({ path }) => path));
  return entries.flatMap((entry): Fate[] => {
    const placed = { inbox, entry };
    const path = pathForJobs(placed);
    if (path === entry.path) return [fateOf(placed, files, given)];
    const why = reasonAside(entry, path, given.now);
    const [job] = path === null ? [] : jobsFor(path, inbox);
    return why === null ? [] : [waiting(placed, job, why)];
  });
}

/** As jobs get to see it, now or when it is whole; `null`: never. */
export function pathForJobs({ inbox, entry: { name, path, kind } }: Placed): string | null {
  const isOfOthers = passedOverBy(path).length > 0 && jobsFor(path, inbox).length === 0;
  if (!isOfOthers && !isNeverTaken(name.toString('utf8'), markersOf(inbox))) return path;
  const whole = nameWhenWhole(path);
  return kind !== 'file' || isHidden(name) || whole === path ? null : whole;
}

/** Long enough for any upload, and for whoever edits a file. */
const STANDS_MS = 3_600_000;

/** `null`: nobody is told. */
function reasonAside({ path, writtenMs }: Entry, forJobs: string | null, now: number): WaitReason | null {
  const isPassedOver = passedOverBy(path).length > 0;
  if (!isPassedOver && forJobs === null) return null;
  if (now - writtenMs >= STANDS_MS) return { kind: 'passed-over', sinceMs: writtenMs };
  return isPassedOver ? null : { kind: 'unfinished' };
}

function waiting(placed: Placed, job: Job | undefined, why: WaitReason): Fate {
  return { kind: 'wait', ...placed, job: job?.name ?? null, why };
}

function refused(placed: Placed, why: string, fault: Fault): Fate {
  return { kind: 'refuse', ...placed, why, fault };
}

function fateOf(placed: Placed, files: ReadonlySet<string>, given: Circumstances): Fate {
  const { entry } = placed;
  const leftMs = given.restLeft(placed);
  const problem = entryProblem(entry);
  const jobs = problem === null ? jobsOf(placed, given) : [];
  const [job] = jobs;
  if (leftMs > 0) return waiting(placed, job, { kind: 'writing', leftMs });
  if (problem !== null) return refused(placed, problem, entryFault(entry));
  if (given.isBroken) return waiting(placed, job, { kind: 'broken' });
  if (jobs.length > 1) return refused(placed, severalJobsWords(jobs), 'several-loads');
  if (job === undefined) return refused(placed, noJobWords(placed), 'no-load');
  const why = waitReason({ ...placed, job }, files, given);
  return why === null ? { kind: 'take', ...placed, job } : waiting(placed, job, why);
}

function jobsOf(placed: Placed, { replyJob }: Circumstances): readonly Job[] {
  const { inbox, entry } = placed;
  const reply = replyJob(placed);
  return reply === null ? jobsFor(entry.path, inbox) : inbox.jobs.filter(({ name }) => name === reply);
}

function entryFault({ kind, links }: Pick<Entry, 'kind' | 'links'>): Fault {
  return kind === 'file' && links === 1 ? 'name' : 'kind';
}

function noJobWords(placed: Placed): string {
  const patterns = allPatterns(placed.inbox);
  const expected =
    patterns.length === 0
      ? 'no job names the files that it takes'
      : `expected a name such as one of these: ${patterns.join(', ')}${caseWords(placed)}`;
  return `its name and folder belong to no kind of load: ${expected}`;
}

function allPatterns({ jobs }: Inbox): readonly string[] {
  return [...new Set(jobs.flatMap(({ definition }) => patternsOf(definition)))].sort();
}

/** Senders don't see that the pattern has other capitals than their file. */
function caseWords({ inbox, entry: { path } }: Placed): string {
  const isAlike = (one: string) => takesFile({ files: one.toLowerCase() }, path.toLowerCase());
  const alike = allPatterns(inbox).filter(isAlike).join(', ');
  return alike === '' ? '' : `; it differs from ${alike} by capital and small letters alone`;
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
    for (const entry of entries) {
      const path = pathForJobs({ inbox, entry });
      if (path === null || entryProblem(entry) !== null) continue;
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
  const untold = waiting.filter(({ why }) => why.kind !== 'passed-over');
  const lines = [...groupedLines(untold, next).values()];
  return lines.length === 0 ? [] : ['Left in the inbox:', ...lines.map((line) => `  ${line}`)];
}

function groupedLines(waiting: readonly Waiting[], next: Next): ReadonlyMap<string, string> {
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const { job, why } = one;
    const about = why.kind === 'passed-over' ? `${one.inbox.folder} ${one.entry.path}` : '';
    const key = [job, why.kind, why.kind === 'after' ? why.job : about].join(' ');
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
export function reasonWords({ job, why, ...placed }: Waiting, next: Next): string {
  switch (why.kind) {
    case 'writing':
      return 'until nothing of it has changed for a while';
    case 'unfinished':
      return 'until it is renamed: its name says that it is not whole yet';
    case 'passed-over':
      return (
        'until it is renamed or removed: by its name it is not whole, ' +
        `or no data, and it has not changed since ${shownTime(new Date(why.sinceMs), 'UTC')}${caseWords(placed)}`
      );
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
