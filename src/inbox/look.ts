import { join } from 'node:path';
import type { JobDefinition } from '../config/job-definition.ts';
import { jobsBefore } from '../config/job-order.ts';
import { weightOf } from '../config/priority.ts';
import type { RunStore } from '../ledger/run-store.ts';
import { errorCode } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { FoundClaim } from './claim.ts';
import { type Entry, listEntries } from './entry.ts';
import { type Inbox, inboxesOf, type JobBook, weightOfJob } from './job-book.ts';
import { elsewhereLines, type LeftClaim, type Recovery } from './recover.ts';
import type { InboxSchedules, IsClosed } from './schedule.ts';
import { type InboxLook, leftWords, type Refused, sortOut, type Takeable, waitingLines } from './sort-out.ts';
import type { Watcher } from './watcher.ts';

/** What one look at the definitions, the claims and all inboxes found to be done. */
export type Look = {
  /** What may be begun, the most urgent first; whoever begins with something takes it out. */
  readonly atHand: AtHand[];
  readonly refuse: readonly Refused[];
  /** The inboxes and their sub-folders. */
  readonly folders: readonly string[];
  /** Why files stay where they are, for people; empty where none does. */
  readonly leftWords: string;
  /** Until the next file may be whole; `null`: none is on its way. */
  readonly nextMs: number | null;
};

/** A claim that somebody left, or a file; `weight` is its job's. */
export type AtHand<F = Takeable> =
  | { readonly kind: 'claim'; readonly weight: number; readonly claim: LeftClaim }
  | { readonly kind: 'file'; readonly weight: number; readonly file: F };

type Surroundings = {
  readonly recovery: Recovery;
  readonly schedules: InboxSchedules;
  readonly isClosed: IsClosed;
  /** Job → a word on what of it this process has under way. */
  mine(): ReadonlyMap<string, string>;
  /** Milliseconds that never go back. */
  now(): number;
};

/** Makes the function that looks at everything and tells why files wait. */
export function createLook(watcher: Watcher, around: Surroundings): () => Promise<Look> {
  const { book, home, teller, rehearsal, once, restMs } = watcher;
  const { recovery, schedules, isClosed } = around;
  const rest = createRest(restMs, around.now);
  return async () => {
    if (await book.refresh()) await schedules.keep();
    const inboxes = inboxesOf(book.jobs(), home);
    const { others, left, elsewhere } = await recovery.look(inboxes);
    const troubles = new Map([...elsewhereLines(elsewhere), ...brokenLines(book)]);
    const found = await Promise.all(inboxes.map((inbox) => lookInto(inbox, troubles)));
    const looks = found.map(({ inbox, entries }) => ({
      inbox,
      entries: entries.filter((entry) => !rehearsal.has(inbox.folder, entry)),
    }));
    const [releases, next] = await Promise.all([schedules.releases(), schedules.next()]);
    const sorted = sortOut(looks, {
      restLeft: rest.left,
      isHeldByWindow: isClosed,
      isGivenUp: (placed, hasJob) => once && isRestless(rest.waited(placed), hasJob, restMs),
      broken: new Set(book.broken().keys()),
      releasedAt: (job) => releases.get(job) ?? null,
      busy: await busyJobs(watcher, { looks, others, mine: [...claimedJobs(left), ...around.mine()] }),
    });
    rest.tidy();
    teller.waiting(new Map([...troubles, ...waitingLines(sorted.wait, next)]));
    return {
      atHand: byUrgency({ left, take: sorted.take }, book),
      refuse: sorted.refuse,
      leftWords: leftWords(sorted.wait, next),
      folders: found.flatMap(({ inbox, folders }) => [
        inbox.folder,
        ...folders.map((path) => join(inbox.folder, path)),
      ]),
      nextMs: sorted.nextMs,
    };
  };
}

function brokenLines(book: JobBook): Array<readonly [string, string]> {
  return [...book.broken()].map(([job, problems]) => [
    `broken ${job}`,
    [`The definition of ${job} can't be used any more; its files wait:`, ...problems].join('\n  '),
  ]);
}

/** A folder that can't be looked into is waited for: it may be on a file system that is away. */
async function lookInto(
  inbox: Inbox,
  troubles: Map<string, string>,
): Promise<InboxLook & { readonly folders: readonly string[] }> {
  const { folder } = inbox;
  try {
    if (inbox.isMain) await makeFolder(folder);
    const { entries, folders, problems } = await listEntries(folder);
    for (const problem of problems) troubles.set(`${folder} ${problem}`, `${folder}: ${problem}`);
    return { inbox, entries, folders };
  } catch (error) {
    const code = errorCode(error);
    if (code === '') throw error;
    troubles.set(folder, `${folder}: this inbox can't be looked into (${code}): it is looked for again`);
    return { inbox, entries: [], folders: [] };
  }
}

type Busy = {
  readonly looks: readonly InboxLook[];
  /** Claims of other watchers. */
  readonly others: readonly FoundClaim[];
  readonly mine: ReadonlyArray<readonly [string, string]>;
};

/** Job → what of it is under way, of the jobs that others come after. */
async function busyJobs(
  { book, store }: Watcher,
  { others, mine }: Busy,
): Promise<ReadonlyMap<string, string>> {
  const asked = new Set(book.jobs().flatMap(({ definition }) => jobsBefore(definition)));
  if (asked.size === 0) return new Map();
  const claimed = others.flatMap(({ info }) =>
    info === null ? [] : [[info.job, `${info.path} is under way`] as const],
  );
  return new Map([...(await runningJobs(store)), ...claimed, ...mine]);
}

/** Runs that are looked through: older ones are over, or somebody knows of them. */
const RUNS_MAX = 200;

/** Job → a run of it that is queued or running. */
export async function runningJobs(store: RunStore): Promise<ReadonlyMap<string, string>> {
  const runs = await store.list(RUNS_MAX);
  const under = runs.filter(({ state }) => state === 'queued' || state === 'running');
  return new Map(under.map(({ job, id, state }) => [job, `run ${id} is ${state}`]));
}

function claimedJobs(left: readonly LeftClaim[]): Array<readonly [string, string]> {
  return left.flatMap(({ found: { info } }) =>
    info === null ? [] : [[info.job, `${info.path} is to be gone on with`] as const],
  );
}

type OfJob = { readonly job: { readonly definition: Pick<JobDefinition, 'priority'> } };

/** In the order in which it is to be begun: by the weight of its job, claims before files, else as it was found. */
export function byUrgency<F extends OfJob>(
  { left, take }: { readonly left: readonly LeftClaim[]; readonly take: readonly F[] },
  book: Pick<JobBook, 'jobs'>,
): AtHand<F>[] {
  const claims = left.map((claim) => ({
    kind: 'claim' as const,
    weight: weightOfJob(claim.found.info?.job, book),
    claim,
  }));
  const files = take.map((file) => ({ kind: 'file' as const, weight: weightOf(file.job.definition), file }));
  return [...claims, ...files].sort((a, b) => b.weight - a.weight);
}

/** Tells when entries have been left alone for long enough. */
type Rest = {
  /** Milliseconds until the entry has been at rest for long enough, if nothing changes; 0: it has. */
  left(placed: Resting): number;
  /** How long this process has known an entry that `left` was asked for before. */
  waited(placed: Resting): Waited;
  /** Forgets all that was not asked for since the last call. */
  tidy(): void;
};

type Resting = { readonly inbox: Pick<Inbox, 'folder'>; readonly entry: Entry };
type Waited = { readonly ms: number; readonly isChanged: boolean };
type Seen = { readonly stamp: string; readonly since: number; readonly first: number };

/** An entry is at rest once nothing of it has changed for `restMs`: only what this process saw itself counts, no clock of another machine. */
export function createRest(restMs: number, now: () => number): Rest {
  let seen = new Map<string, Seen>();
  let asked = new Map<string, Seen>();
  return {
    left(placed) {
      const id = idOf(placed);
      const stamp = wholeStampOf(placed);
      const known = seen.get(id);
      const at = now();
      const current = known?.stamp === stamp ? known : { stamp, since: at, first: known?.first ?? at };
      seen.set(id, current);
      asked.set(id, current);
      return Math.max(0, current.since + restMs - at);
    },
    waited(placed) {
      const known = asked.get(idOf(placed));
      return known === undefined
        ? { ms: 0, isChanged: false }
        : { ms: now() - known.first, isChanged: known.since !== known.first };
    },
    tidy() {
      seen = asked;
      asked = new Map();
    },
  };
}

function idOf({ inbox, entry: { path, name } }: Resting): string {
  return `${inbox.folder}\n${path}\n${name.toString('latin1')}`;
}

/** Another name or other rights count as well: a program that moves files about may not be done with it. */
function wholeStampOf({ entry: { stamp, changedMs, links } }: Resting): string {
  return [stamp, changedMs, links].join(':');
}

const SHORTEST_PATIENCE_MS = 30_000;

/** What belongs to a job is waited for at length, what belongs to none only as long as it may be whole already. */
function isRestless({ ms, isChanged }: Waited, hasJob: boolean, restMs: number): boolean {
  return hasJob ? ms >= Math.max(10 * restMs, SHORTEST_PATIENCE_MS) : isChanged;
}
