/**
 * The front door of `inbox/`, and the loop of `onboard start` and `onboard watch`: look (look.ts),
 * refuse what can't be taken (settle.ts), begin the rest while there is room (under-way.ts), and
 * wait for news or time (wake.ts).
 */
import type { RunStore } from '../ledger/run-store.ts';
import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/waiting.ts';
import { EXIT, worse } from '../model/exit.ts';
import { countSettled } from '../model/outcome.ts';
import { finishHandIns, removeEmptyClaims } from './claim.ts';
import { inboxesOf } from './job-book.ts';
import { createLook, type Look } from './look.ts';
import { createRecovery } from './recover.ts';
import { createWindows, type InboxSchedules, openInboxSchedules } from './schedule.ts';
import { createLookForLate, createRefuse } from './settle.ts';
import { createBegin, createUnderWay, type UnderWay } from './under-way.ts';
import { createFolderEvents, createLookClock, createWaker, type FolderEvents, type Waker } from './wake.ts';
import type { Watcher } from './watcher.ts';

const TROUBLE_MS = 1_000;

/** Until an interruption, or with `once` the end of the work; answers the exit status. */
export async function watchInboxes(
  watcher: Watcher,
  { sends }: { readonly sends: boolean },
): Promise<number> {
  const exitCode = await untilItEnds(watcher, sends || !watcher.once ? null : stallNoticeOf(watcher));
  if (exitCode === EXIT.interrupted) watcher.teller.line(`To go on: ${watcher.session.io.typed}`);
  return exitCode;
}

async function untilItEnds(watcher: Watcher, stall: StallNotice | null): Promise<number> {
  const waker = createWaker();
  const underWay = createUnderWay(watcher, () => waker.wake('work'));
  const schedules = openInboxSchedules(watcher, () => waker.wake('look'));
  const now = () => performance.now();
  const recovery = createRecovery({ ...watcher, isMine: underWay.has, now });
  const isClosed = createWindows(() => new Date());
  const look = createLook(watcher, { recovery, schedules, isClosed, mine: underWay.claims, now });
  const begin = createBegin(watcher, { underWay, recovery, isClosed });
  const events = openEvents(watcher, waker);
  const round = createRound(watcher, { look, underWay, schedules });
  watcher.session.io.interrupted.addEventListener('abort', () => waker.wake('work'));
  try {
    await finishHandIns(watcher.places.processing);
    await removeEmptyClaims(watcher.places.processing, new Date());
    await schedules.keep();
    return await keepLooking(watcher, { waker, underWay, round }, async () => {
      const found = await round.look();
      events.follow(found.folders);
      await begin(found);
      if (underWay.active() > 0) await stall?.look();
      return found;
    });
  } finally {
    events.close();
    await underWay.end();
    await schedules.close();
  }
}

function openEvents({ teller }: Watcher, waker: Waker): FolderEvents {
  const onTrouble = (error: Error) =>
    teller.trouble(`no events from the file system (${error.message}): files are found by looking only`);
  return createFolderEvents(() => waker.wake('look'), onTrouble);
}

type Loop = {
  readonly waker: Waker;
  readonly underWay: UnderWay;
  readonly round: ReturnType<typeof createRound>;
};

async function keepLooking(
  watcher: Watcher,
  { waker, underWay, round }: Loop,
  work: () => Promise<Look>,
): Promise<number> {
  for (;;) {
    if (watcher.session.io.interrupted.aborted) return EXIT.interrupted;
    const look = await waitingOut(watcher, work);
    if (look === null) continue;
    const isIdle = !round.clock.isLookWanted() && !waker.hasNews() && underWay.active() === 0;
    // Nothing can be taken, now or soon.
    if (watcher.once && isIdle && look.atHand.length === 0 && look.nextMs === null) {
      tellLeft(look, watcher);
      return worse(round.worst(), underWay.worst());
    }
    const why = await waker.wait(round.clock.leftMs());
    // A run's end may release a waiting file; while more files are at hand it needs no full look.
    const hasFiles = look.atHand.some(({ kind }) => kind === 'file');
    if (why.has('look') || (why.has('work') && !hasFiles)) round.clock.lookSoon();
  }
}

/** A full Redis or disk only delays the watching; `null`: look again. */
async function waitingOut(
  { once, teller, session }: Watcher,
  work: () => Promise<Look>,
): Promise<Look | null> {
  try {
    return await work();
  } catch (error) {
    if (once) throw error;
    teller.trouble(`the inboxes can't be watched right now: ${messageOf(error)}`);
    await sleep(TROUBLE_MS, session.io.interrupted);
    return null;
  }
}

type Looked = {
  look(): Promise<Look>;
  readonly underWay: UnderWay;
  readonly schedules: InboxSchedules;
};

/** Looks at folders, runs and late files, each at its time; answers the last look. */
function createRound(watcher: Watcher, { look, underWay, schedules }: Looked) {
  const clock = createLookClock(() => performance.now());
  const refuse = createRefuse(watcher);
  const isInterrupted = () => watcher.session.io.interrupted.aborted;
  const lookAgain = createLookAndRefuse({ clock, look, refuse, isInterrupted });
  const lookForLate = createLookForLate(watcher);
  let last: Look = { atHand: [], refuse: [], folders: [], left: [], nextMs: 0 };
  let worst = 0;
  const lookAtRest = async () => {
    await schedules.keep();
    if ((await lookForLate()) > 0) worst = worse(worst, EXIT.notStarted);
  };
  return {
    clock,
    worst: () => worst,
    async look(): Promise<Look> {
      if (clock.isDue('rare')) await lookAtRest();
      if (clock.isDue('runs')) await underWay.look();
      if (clock.isLookDue()) {
        const looked = await lookAgain();
        last = looked.found;
        if (looked.hasRefused) worst = worse(worst, EXIT.notStarted);
      }
      return last;
    },
  };
}

/** Per look; the next one finds the others, and new files. */
const REFUSED_AT_ONCE = 500;

type RefuseEdges = {
  readonly clock: Pick<ReturnType<typeof createLookClock>, 'lookBegins' | 'lookEnds' | 'lookSoon'>;
  look(): Promise<Look>;
  readonly refuse: ReturnType<typeof createRefuse>;
  isInterrupted(): boolean;
};

/** Looks, and puts aside what can't be taken, in parts: other files or a signal must not wait. */
export function createLookAndRefuse({ clock, look, refuse, isInterrupted }: RefuseEdges) {
  return async () => {
    clock.lookBegins();
    const found = await look();
    // Time spent on refusing must not delay the next look.
    clock.lookEnds(found.nextMs);
    let moved = 0;
    let hasRefused = false;
    for (const entry of found.refuse) {
      if (moved === REFUSED_AT_ONCE) clock.lookSoon();
      if (moved === REFUSED_AT_ONCE || isInterrupted()) break;
      const end = await refuse(entry);
      if (end === 'moved') moved += 1;
      if (end !== 'gone') hasRefused = true;
    }
    return { found, hasRefused };
  };
}

function tellLeft({ left }: Look, { teller, book, home }: Watcher): void {
  if (left.length > 0) teller.line(...left);
  else if (!teller.hasTold()) {
    const folders = inboxesOf(book.jobs(), home).map(({ folder }) => folder);
    teller.line(`There was no file to take in ${folders.join(', ')}.`);
  }
}

const EVERY_MS = 60_000;
/** While no run is under way; a file that was just claimed gets its run within that time. */
const BEGIN_MS = 5_000;

type StallEdges = {
  /** Progress of the runs under way; '': none. */
  standing(): Promise<string>;
  tell(text: string): void;
  now(): number;
};

/** For a watcher that sends nothing itself: once a minute, that nothing moves. */
export function createStallNotice({ standing, tell, now }: StallEdges) {
  let dueAt = Number.NEGATIVE_INFINITY;
  let before = '';
  return {
    /** Looks at most once a minute. */
    async look() {
      if (now() < dueAt) return;
      const current = await standing();
      dueAt = now() + (current === '' ? BEGIN_MS : EVERY_MS);
      if (current !== '' && current === before) tell(STALLED);
      before = current;
    },
  };
}

type StallNotice = ReturnType<typeof createStallNotice>;

const STALLED =
  'Nothing has moved for a minute: rows wait for a worker. Start one with `onboard work`; `onboard status` says where things stand.';

const RUNS_MAX = 200;

function stallNoticeOf({ store, teller }: Watcher): StallNotice {
  const standing = () => standingOf(store);
  return createStallNotice({ standing, tell: teller.line, now: () => performance.now() });
}

/** Settled rows of each run under way. */
async function standingOf(store: RunStore): Promise<string> {
  const runs = await store.list(RUNS_MAX);
  const under = runs.filter(({ state }) => state === 'queued' || state === 'running');
  return under.map(({ id, rows, outcomes }) => `${id} ${countSettled(outcomes)}/${rows}`).join('\n');
}
