import type { Job } from '../config/job-definition.ts';
import { inOrder, presentJobs } from './after-others.ts';
import { type Entry, entryProblem } from './entry.ts';
import { type Inbox, markersOf } from './inbox-folder.ts';
import { jobsFor } from './match-job.ts';
import { isNeverTaken, nameWhenWhole } from './never-taken.ts';
import type { InboxLook, Placed, Refused, Takeable, Waiting, WaitReason } from './placed.ts';
import { entryFault, noJobWords, severalJobsWords } from './sender-words.ts';

export type SortedOut = {
  /** In the order in which they are to be taken. */
  readonly take: readonly Takeable[];
  readonly refuse: readonly Refused[];
  readonly wait: readonly Waiting[];
  /** Until the next file may be whole, milliseconds; `null`: none is on its way. */
  readonly nextMs: number | null;
};

export type Circumstances = {
  /** Milliseconds until the entry has been left alone for long enough, if nothing changes. */
  restLeft(placed: Placed): number;
  /** Whether an entry that never comes to rest is not waited for any more. */
  isGivenUp?(placed: Placed, hasJob: boolean): boolean;
  /** Jobs whose definitions can't be used right now. */
  readonly broken: ReadonlySet<string>;
  /** Whether no runs of the job are begun for now, since its window is closed. */
  isHeldByWindow(job: Job): boolean;
  /** When the schedule of a job fired last, milliseconds; `null`: not yet. */
  releasedAt(job: string): number | null;
  /** Job → why one that waits for it has to wait, of files and runs that are under way. */
  readonly busy: ReadonlyMap<string, string>;
};

type Sorted = { take: Takeable[]; refuse: Refused[]; wait: Waiting[]; nextMs: number | null };

/** Decides for every entry of the inboxes whether it is taken, waits or is refused; nothing is touched. */
export function sortOut(looks: readonly InboxLook[], given: Circumstances): SortedOut {
  const sorted: Sorted = { take: [], refuse: [], wait: [], nextMs: null };
  for (const { inbox, entries } of looks) sortInbox(inbox, entries, { given, sorted });
  return { ...sorted, ...inOrder(sorted, given.busy, presentJobs(looks)) };
}

type Into = { readonly given: Circumstances; readonly sorted: Sorted };

function sortInbox(inbox: Inbox, entries: readonly Entry[], into: Into): void {
  const markers = markersOf(inbox);
  const files = new Set(entries.filter(({ kind }) => kind === 'file').map(({ path }) => path));
  for (const entry of entries) {
    if (isUnfinished(entry)) sortUnfinished({ inbox, entry }, into);
    else if (!isNeverTaken(entry.name.toString('utf8'), markers)) sortEntry({ inbox, entry }, files, into);
  }
}

function isUnfinished({ kind, name, path }: Entry): boolean {
  const isHidden = name.toString('utf8').startsWith('.');
  return kind === 'file' && !isHidden && nameWhenWhole(path) !== path;
}

function sortUnfinished(placed: Placed, { sorted }: Into): void {
  const [job] = jobsFor(nameWhenWhole(placed.entry.path), placed.inbox);
  sorted.wait.push({ ...placed, job: job?.name ?? null, why: { kind: 'unfinished' } });
}

function sortEntry(placed: Placed, files: ReadonlySet<string>, { given, sorted }: Into): void {
  const { inbox, entry } = placed;
  const left = given.restLeft(placed);
  const problem = entryProblem(entry);
  const jobs = problem === null ? jobsFor(entry.path, inbox) : [];
  const [job] = jobs;
  if (left > 0) {
    const isGivenUp = given.isGivenUp?.(placed, job !== undefined) === true;
    if (!isGivenUp) sorted.nextMs = Math.min(left, sorted.nextMs ?? left);
    const why = { kind: isGivenUp ? 'restless' : 'writing' } as const;
    sorted.wait.push({ ...placed, job: job?.name ?? null, why });
    return;
  }
  if (problem !== null) sorted.refuse.push({ ...placed, why: problem, fault: entryFault(entry) });
  else if (jobs.length > 1)
    sorted.refuse.push({ ...placed, why: severalJobsWords(jobs), fault: 'several-loads' });
  else if (job === undefined) sortUnknown(placed, { given, sorted });
  else sortWhole({ ...placed, job }, files, { given, sorted });
}

/** A definition that can't be used may be the one that takes it. */
function sortUnknown(placed: Placed, { given, sorted }: Into): void {
  if (given.broken.size > 0) {
    sorted.wait.push({ ...placed, job: null, why: { kind: 'broken', jobs: [...given.broken] } });
  } else sorted.refuse.push({ ...placed, why: noJobWords(placed.inbox), fault: 'no-load' });
}

function sortWhole(takeable: Takeable, files: ReadonlySet<string>, { given, sorted }: Into): void {
  const why = waitReason(takeable, files, given);
  if (why === null) sorted.take.push(takeable);
  else sorted.wait.push({ ...takeable, job: takeable.job.name, why });
}

function waitReason(
  { entry, job }: Takeable,
  files: ReadonlySet<string>,
  given: Circumstances,
): WaitReason | null {
  const { marker, schedule, window } = job.definition;
  if (given.broken.has(job.name)) return { kind: 'broken', jobs: [job.name] };
  if (marker !== undefined && !files.has(entry.path + marker)) return { kind: 'marker', marker };
  // Whole when the schedule fired: nothing of it has changed since.
  const releasedAt = given.releasedAt(job.name) ?? Number.NEGATIVE_INFINITY;
  if (schedule !== undefined && entry.changedMs > releasedAt) return { kind: 'schedule' };
  return window !== undefined && given.isHeldByWindow(job) ? { kind: 'window', window } : null;
}
