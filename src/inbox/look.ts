/**
 * One look at the definitions, the claims and all inboxes: what may begin, what is refused, and why
 * other files wait. A file is whole once this process has seen no change of it for a while.
 */
import { join } from 'node:path';
import { type Job, jobsBefore } from '../config/job-definition.ts';
import { holdsUpLaterJobs, openRunsOf } from '../ledger/run-store.ts';
import { errorCode } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { Run } from '../model/run.ts';
import { goingOnWith, stateOf } from '../runs/status.ts';
import type { Ledger } from '../session.ts';
import type { Claim, FoundClaim } from './claim.ts';
import { type Entry, listEntries } from './entry.ts';
import { type Inbox, inboxesOf, type JobBook } from './job-book.ts';
import { elsewhereLines, type LeftClaim, type Recovery } from './recover.ts';
import type { InboxSchedules, IsClosed } from './schedule.ts';
import {
  type InboxLook,
  leftLines,
  presentJobs,
  type Refused,
  sortOut,
  type Takeable,
  waitingLines,
} from './sort-out.ts';
import type { Watcher } from './watcher.ts';

export type Look = {
  /** Claims before files; whoever begins one takes it out. */
  readonly atHand: AtHand[];
  readonly refuse: readonly Refused[];
  readonly folders: readonly string[];
  /** For people: why files stay where they are. */
  readonly left: readonly string[];
  /** Ms until the next file may be whole; `null`: none is on its way. */
  readonly nextMs: number | null;
};

/** A claim that its watcher left, or a file. */
export type AtHand =
  | { readonly kind: 'claim'; readonly claim: LeftClaim }
  | { readonly kind: 'file'; readonly file: Takeable };

type Surroundings = {
  readonly recovery: Recovery;
  readonly schedules: InboxSchedules;
  readonly isClosed: IsClosed;
  mine(): readonly Claim[];
  /** Ms of a monotonic clock. */
  now(): number;
};

export function createLook(watcher: Watcher, around: Surroundings): () => Promise<Look> {
  const { book, home, teller, rehearsal, once, restMs, session, target } = watcher;
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
    const claimed = [
      ...claimedWords(others),
      ...claimedWords(
        left.map((one) => one.found),
        'is to be gone on with',
      ),
      ...claimedWords(around.mine()),
    ];
    const [releases, next] = await Promise.all([schedules.releases(), schedules.next()]);
    const sorted = sortOut(looks, {
      restLeft: rest.left,
      isHeldByWindow: isClosed,
      isGivenUp: (placed, hasJob) => once && isRestless(rest.waited(placed), hasJob, restMs),
      broken: new Set(book.broken().keys()),
      releasedAt: (job) => releases.get(job) ?? null,
      busy: await busyJobs({ jobs: book.jobs(), looks, claimed }, session.ledger, target),
    });
    rest.tidy();
    teller.waiting(new Map([...troubles, ...waitingLines(sorted.wait, next)]));
    return {
      atHand: [
        ...left.map((claim) => ({ kind: 'claim' as const, claim })),
        ...sorted.take.map((file) => ({ kind: 'file' as const, file })),
      ],
      refuse: sorted.refuse,
      left: leftLines(sorted.wait, next),
      folders: found.flatMap(({ inbox, folders }) => [
        inbox.folder,
        ...folders.map((path) => join(inbox.folder, path)),
      ]),
      nextMs: sorted.nextMs,
    };
  };
}

function brokenLines(book: JobBook): Array<readonly [string, string]> {
  return [...book.broken()].flatMap(([job, problems]) =>
    [
      `The definition of ${job} can't be used any more; its files wait:`,
      ...problems.map((problem) => `  ${problem}`),
    ].map((line) => [`broken ${job} ${line}`, line] as const),
  );
}

/** No error: its file system may be away, and is looked for again. */
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

type Asked = {
  readonly jobs: readonly Job[];
  readonly looks: readonly InboxLook[];
  /** Job → words on a claimed file of it. */
  readonly claimed: ReadonlyArray<readonly [string, string]>;
};

/**
 * Job → what of it is under way, for the jobs that a file waits for. What needs a person comes
 * first: a run that waits for one, then a claimed file, then a run that moves.
 */
export async function busyJobs(
  { jobs, looks, claimed }: Asked,
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
  target: string,
): Promise<ReadonlyMap<string, string>> {
  const present = presentJobs(looks);
  const asked = jobs.flatMap(({ name, definition }) => (present.has(name) ? jobsBefore(definition) : []));
  const { keys, store } = of(target);
  const open = await openRunsOf(redis, keys, new Set(asked));
  const runs = await Promise.all(
    open.map(async (id) => {
      const [run, leased] = await Promise.all([store.get(id), store.hasLease(id)]);
      return run !== null && holdsUpLaterJobs(run.state) ? [openRun(run, leased)] : [];
    }),
  );
  // Later entries of the map win, so the oldest run of a job is named.
  const oldestLast = runs.flat().reverse();
  const wordsOf = (isHeld: boolean) =>
    oldestLast.filter((run) => run.isHeld === isHeld).map(({ job, words }) => [job, words] as const);
  return new Map([...wordsOf(false), ...claimed, ...wordsOf(true)]);
}

/** `run … is paused (…); to go on with it: onboard resume …, or end it: onboard cancel …`. */
function openRun(run: Run, leased: boolean) {
  const state = stateOf(run, leased);
  const goOn = goingOnWith(run, state);
  const words = `run ${run.id} is ${state.words}`;
  return {
    job: run.job,
    words: goOn === null ? words : `${words}; to go on with it: ${goOn}, or end it: onboard cancel ${run.id}`,
    isHeld: goOn !== null && (run.state === 'paused' || run.state === 'stopped'),
  };
}

export function claimedWords(
  claims: ReadonlyArray<Pick<FoundClaim, 'info'>>,
  words = 'is under way',
): Array<readonly [string, string]> {
  return claims.flatMap(({ info }) => (info === null ? [] : [[info.job, `${info.path} ${words}`] as const]));
}

type Resting = { readonly inbox: Pick<Inbox, 'folder'>; readonly entry: Entry };
type Waited = { readonly ms: number; readonly isChanged: boolean };
type Seen = { readonly stamp: string; readonly since: number; readonly first: number };

/**
 * An entry is at rest once this process has seen no change of it for `restMs`; other machines'
 * clocks don't count.
 */
export function createRest(restMs: number, now: () => number) {
  let seen = new Map<string, Seen>();
  let asked = new Map<string, Seen>();
  return {
    /** Ms until the entry is at rest if nothing changes; 0: it is. */
    left(placed: Resting): number {
      const id = idOf(placed);
      const stamp = wholeStampOf(placed);
      const known = seen.get(id);
      const at = now();
      const current = known?.stamp === stamp ? known : { stamp, since: at, first: known?.first ?? at };
      seen.set(id, current);
      asked.set(id, current);
      return Math.max(0, current.since + restMs - at);
    },
    /** How long this process has known an entry that `left` was asked for. */
    waited(placed: Resting): Waited {
      const known = asked.get(idOf(placed));
      return known === undefined
        ? { ms: 0, isChanged: false }
        : { ms: now() - known.first, isChanged: known.since !== known.first };
    },
    /** Forgets entries that were not asked for since the last call. */
    tidy() {
      seen = asked;
      asked = new Map();
    },
  };
}

function idOf({ inbox, entry: { path, name } }: Resting): string {
  return `${inbox.folder}\n${path}\n${name.toString('latin1')}`;
}

/** Another name or other rights count too: whoever moves files about may not be done. */
function wholeStampOf({ entry: { stamp, changedMs, links } }: Resting): string {
  return [stamp, changedMs, links].join(':');
}

const SHORTEST_PATIENCE_MS = 30_000;

/** Whether `--once` gives up: a job's file after a long wait, another entry once it changed. */
function isRestless({ ms, isChanged }: Waited, hasJob: boolean, restMs: number): boolean {
  return hasJob ? ms >= Math.max(10 * restMs, SHORTEST_PATIENCE_MS) : isChanged;
}
