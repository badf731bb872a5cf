/**
 * One look at the definitions, the claims and all inboxes: what may begin, what is refused, and why
 * other files wait.
 */
import { jobsBefore } from '../../config/job-definition.ts';
import { SANDBOX_TARGET } from '../../delivery/target.ts';
import { createReleases } from '../../engine/queue/schedules.ts';
import { errorCode, messageOf } from '../../lib/errors.ts';
import type { Ledger } from '../../session.ts';
import { goingOnWith, openRuns, type ShownRun } from '../status.ts';
import { type Claim, holdsFile, listClaims, removeLeft } from './claim.ts';
import { type Entry, listEntries } from './entry.ts';
import { type Inbox, inboxesOf, uploadsOf } from './job-book.ts';
import { findReplies, knownReplies, type RepliesKnown } from './replies.ts';
import { type InboxSchedules, isHeldByWindow } from './schedule.ts';
import {
  type Circumstances,
  type InboxLook,
  leftLines,
  presentJobs,
  type SortedOut,
  sortOut,
  waitingLines,
} from './sort-out.ts';
import type { UnderWay } from './under-way.ts';
import type { Watcher } from './watcher.ts';

export type Look = Awaited<ReturnType<ReturnType<typeof createLook>>>;

/** Of a watcher; `now`: ms of a monotonic clock. */
export function createLook(
  watcher: Watcher,
  underWay: Pick<UnderWay, 'has' | 'trouble'>,
  schedules: Pick<InboxSchedules, 'next'>,
  now: () => number,
) {
  const { book, home, teller, rehearsal, target } = watcher;
  const { ledger } = watcher.session;
  const rest = createRest(watcher, now);
  const replies = knownReplies();
  return async () => {
    await book.refresh();
    const inboxes = inboxesOf(book.jobs(), home);
    const found = await lookInto(inboxes, home);
    const looks = found.looks.map(({ inbox, entries }) => ({
      inbox,
      entries: entries.filter((entry) => !rehearsal.has(inbox.folder, entry)),
    }));
    const given = { restLeft: rest.left, isBroken: book.problems().length > 0 };
    const sorted = await sortedOut({ ...found, looks, home, target, replies, given }, ledger);
    rest.tidy();
    const isOurs = ({ info }: Claim) => info.target === target && info.ledger === ledger.name;
    const troubles = new Map([...found.troubles, ...brokenLines(book.problems())]);
    for (const folder of found.strange) {
      const words = `${folder}: nothing is known of the file in it: move it into an inbox by hand`;
      if (!(await removeLeft(folder)) && (await holdsFile(folder, Date.now()))) troubles.set(folder, words);
    }
    for (const claim of found.claims) if (!isOurs(claim)) troubles.set(...elsewhereLine(claim));
    if (found.unusable.size > 0) underWay.trouble();
    const next = await schedules.next();
    teller.waiting(new Map([...troubles, ...waitingLines(sorted.wait, next)]));
    return {
      /** Left by an earlier watcher, or from the page; begun before any file. */
      claims: found.claims.filter((claim) => isOurs(claim) && !underWay.has(claim.id)),
      /** Whoever begins one takes it out, as with claims. */
      files: sorted.take.filter(({ inbox }) => !found.unusable.has(inbox.folder)),
      refuse: sorted.refuse,
      left: leftLines(sorted.wait, next),
      /** Ms until the next file may be whole; `null`: none is on its way. */
      nextMs: sorted.nextMs,
    };
  };
}

type Found = Awaited<ReturnType<typeof lookInto>>;

export async function lookInto(inboxes: readonly Inbox[], home: string) {
  /** What is wrong, in words, by a key that lasts as long. */
  const troubles = new Map<string, string>();
  const unusable = new Set<string>();
  const entriesOf = async (inbox: Inbox): Promise<InboxLook> => {
    const { folder } = inbox;
    try {
      const { entries, problems } = await listEntries(folder);
      for (const problem of problems) troubles.set(`${folder} ${problem}`, `${folder}: ${problem}`);
      return { inbox, entries };
    } catch (error) {
      const code = errorCode(error);
      if (code === '') throw error;
      troubles.set(folder, `${folder}: this inbox can't be looked into (${code}) for now`);
      return { inbox, entries: [] };
    }
  };
  const claimsOf = (folder: string) =>
    listClaims(folder).catch((error: unknown) => {
      unusable.add(folder);
      troubles.set(folder, `files can't be taken: ${messageOf(error)}`);
      return { claims: [], strange: [] };
    });
  const places = [...inboxes.map(({ folder }) => folder), uploadsOf(home)];
  const claimed = await Promise.all(places.map(claimsOf));
  return {
    looks: await Promise.all(inboxes.map(entriesOf)),
    claims: claimed.flatMap(({ claims }) => claims),
    strange: claimed.flatMap(({ strange }) => strange),
    unusable,
    troubles,
  };
}

type Sorting = Pick<Found, 'looks' | 'claims'> & {
  readonly home: string;
  readonly target: string;
  readonly replies: RepliesKnown;
  readonly given: Pick<Circumstances, 'restLeft' | 'isBroken'>;
};

export async function sortedOut(
  { looks, claims, home, target, replies, given }: Sorting,
  ledger: Pick<Ledger, 'redis' | 'of'>,
): Promise<SortedOut> {
  const { keys } = ledger.of(target);
  const releases = await createReleases(ledger.redis, keys.queuePrefix).all();
  const here = claims.filter(({ info }) => info.target === target);
  return sortOut(looks, {
    ...given,
    now: Date.now(),
    isHeldByWindow,
    replyJob: await findReplies(looks, { home, target, ledger, known: replies }),
    releasedAt: (job) => releases.get(job) ?? null,
    busy: await busyJobs(looks, here, ledger, target),
  });
}

/** Job → what of it is under way. */
export async function busyJobs(
  looks: readonly InboxLook[],
  claims: ReadonlyArray<Pick<Claim, 'info'>>,
  ledger: Pick<Ledger, 'of'>,
  target: string,
): Promise<ReadonlyMap<string, string>> {
  const present = presentJobs(looks);
  const jobs = looks.flatMap(({ inbox }) => inbox.jobs);
  const asking = jobs.filter(({ name }) => present.has(name));
  const asked = asking.flatMap(({ definition }) => jobsBefore(definition));
  const open = await openRuns(asked, target, ledger);
  const claimed = claims.map(({ info }) => [info.job, `${info.path} is under way`] as const);
  // Later entries of the map win: the oldest run of a job is named.
  return new Map([...claimed, ...open.map(openRun).reverse()]);
}

function openRun({ run, state }: ShownRun): readonly [string, string] {
  const goOn = goingOnWith(run, state);
  const words = `run ${run.id} is ${state.words}`;
  const how = goOn === null ? '' : `; to go on with it: ${goOn}, or end it: onboard cancel ${run.id}`;
  return [run.job, `${words}${how}`];
}

function elsewhereLine({ info: { path, target, ledger } }: Claim): readonly [string, string] {
  const isRehearsal = target === SANDBOX_TARGET;
  const where = isRehearsal ? 'a rehearsal' : target;
  const command = isRehearsal ? 'onboard start --sandbox' : 'onboard start';
  const words = `${path} is being processed for ${where} (${ledger})`;
  return [`${target} ${ledger}`, `${words}: left alone; \`${command}\` for it goes on`];
}

function brokenLines(problems: readonly string[]): Array<readonly [string, string]> {
  const lines = problems.map((problem) => [problem, `  ${problem}`] as const);
  return lines.length === 0 ? [] : [['broken', 'Nothing is taken until this is corrected:'], ...lines];
}

type Resting = { readonly inbox: Pick<Inbox, 'folder'>; readonly entry: Entry };
type Seen = {
  readonly stamp: string;
  readonly since: number;
  readonly first: number;
};

/** With `--once`, an entry that is written to without end is waited for so long. */
const PATIENCE_MS = 30_000;

/**
 * An entry is at rest once this process has seen no change of it for `restMs`; other machines'
 * clocks don't count.
 */
export function createRest({ restMs, once }: Pick<Watcher, 'restMs' | 'once'>, now: () => number) {
  let seen = new Map<string, Seen>();
  let asked = new Map<string, Seen>();
  const patience = once ? Math.max(10 * restMs, PATIENCE_MS) : Number.POSITIVE_INFINITY;
  return {
    left(placed: Resting): number {
      const id = idOf(placed);
      const stamp = wholeStampOf(placed);
      const known = seen.get(id);
      const at = now();
      const current = known?.stamp === stamp ? known : { stamp, since: at, first: known?.first ?? at };
      seen.set(id, current);
      asked.set(id, current);
      const left = Math.max(0, current.since + restMs - at);
      return left > 0 && at - current.first >= patience ? Number.POSITIVE_INFINITY : left;
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

/** Another name or other rights count too: whoever moves files about may not be done. */
function wholeStampOf({ entry: { stamp, changedMs, links } }: Resting): string {
  return [stamp, changedMs, links].join(':');
}
