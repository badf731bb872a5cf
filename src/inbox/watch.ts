import { sleep } from '../lib/sleep.ts';
import { worse } from '../runs/status.ts';
import { removeEmptyClaims } from './claims.ts';
import type { InboxDesk } from './desk.ts';
import { createFolderEvents, type FolderEvents } from './events.ts';
import { inboxesOf } from './inbox-folder.ts';
import { createLateFiles } from './late.ts';
import { type Look, type Looking, lookAround } from './look.ts';
import { createLookClock } from './look-clock.ts';
import { createPull } from './pull.ts';
import { createRecovery } from './recover.ts';
import { createRefusing } from './refuse.ts';
import { createRest } from './rest.ts';
import { openInboxSchedules } from './schedules.ts';
import { NOT_TAKEN_EXIT } from './settle.ts';
import type { StallNotice } from './stall.ts';
import { createWaker, type Waker } from './waker.ts';
import { createWindows } from './window.ts';
import { createWorks } from './works.ts';

const INTERRUPTED_EXIT = 4;
const TROUBLE_MS = 1_000;

/** Watches the inboxes until it is interrupted, or with `once` until nothing more can be taken; answers the exit status. */
export async function watchInboxes(desk: InboxDesk, stall: StallNotice | null = null): Promise<number> {
  const { typed } = desk.runs.io;
  const exitCode = await untilItEnds(desk, stall);
  if (exitCode === INTERRUPTED_EXIT) desk.teller.line(`To go on: ${typed}`);
  return exitCode;
}

async function untilItEnds(desk: InboxDesk, stall: StallNotice | null): Promise<number> {
  const waker = createWaker();
  const works = createWorks(desk, () => waker.wake('work'));
  const schedules = openInboxSchedules(desk, () => waker.wake('look'));
  const { member } = desk.runs.registration.gate;
  const now = () => performance.now();
  const recovery = createRecovery({
    ...desk,
    member,
    target: desk.runs.service.target,
    isMine: works.has,
    now,
  });
  const rest = createRest(desk.restMs, now);
  const isClosed = createWindows(() => new Date());
  const events = openEvents(desk, waker);
  const { interrupted } = desk.runs.io;
  interrupted.addEventListener('abort', () => waker.wake('work'));
  try {
    await removeEmptyClaims(desk.places.processing, new Date());
    await schedules.keep();
    const looking = { desk, works, recovery, schedules, rest, isClosed };
    return await keepLooking(looking, waker, { events, stall });
  } finally {
    events?.close();
    await works.end();
    await schedules.close();
  }
}

function openEvents({ polling, teller }: InboxDesk, waker: Waker): FolderEvents | null {
  if (polling) return null;
  const onTrouble = (error: Error) =>
    teller.trouble(`no events from the file system (${error.message}): files are found by looking only`);
  return createFolderEvents(() => waker.wake('look'), onTrouble);
}

type Beside = { readonly events: FolderEvents | null; readonly stall: StallNotice | null };

async function keepLooking(looking: Looking, waker: Waker, { events, stall }: Beside): Promise<number> {
  const { desk, works } = looking;
  const pull = createPull(looking);
  const round = createRound(looking);
  for (;;) {
    if (desk.runs.io.interrupted.aborted) return INTERRUPTED_EXIT;
    const look = await waitingOut(desk, async () => {
      const found = await round.look();
      events?.follow(found.folders);
      await pull(found);
      if (works.active() > 0) await stall?.look();
      return found;
    });
    if (look === null) continue;
    const isIdle = !round.clock.isLookWanted() && !waker.hasNews() && works.active() === 0;
    if (desk.once && isIdle && isEmpty(look)) {
      tellLeft(look, desk);
      return worse(round.worst(), works.worst());
    }
    const why = await waker.wait(round.clock.leftMs());
    // What waited for a run may go on when it is over; with more at hand an end is no reason to look at everything.
    if (why.has('look') || (why.has('work') && look.take.length === 0)) round.clock.lookSoon();
  }
}

/** A Redis or a disk that is full costs time, not the watching; `null`: it is to be tried again. */
async function waitingOut(desk: InboxDesk, work: () => Promise<Look>): Promise<Look | null> {
  try {
    return await work();
  } catch (error) {
    if (desk.once) throw error;
    const message = error instanceof Error ? error.message : String(error);
    desk.teller.trouble(`the inboxes can't be looked after right now: ${message}`);
    await sleep(TROUBLE_MS, desk.runs.io.interrupted);
    return null;
  }
}

/** What is looked at, each at its time; answers the last look through the folders. */
function createRound(looking: Looking) {
  const { desk, works, schedules } = looking;
  const clock = createLookClock(desk.pollMs, () => performance.now());
  const refusing = createRefusing(desk);
  const late = createLateFiles(desk);
  let last: Look = { left: [], take: [], refuse: [], folders: [], leftWords: '', nextMs: 0 };
  let worst = 0;
  const lookAgain = async () => {
    clock.lookBegins();
    last = await lookAround(looking);
    for (const entry of last.refuse) {
      if ((await refusing.refuse(entry)) !== 'gone') worst = worse(worst, NOT_TAKEN_EXIT);
    }
    clock.lookEnds(last.nextMs);
  };
  const lookAtRest = async () => {
    await schedules.keep();
    if ((await late.look()) > 0) worst = worse(worst, NOT_TAKEN_EXIT);
  };
  return {
    clock,
    worst: () => worst,
    async look(): Promise<Look> {
      if (clock.isDue('rare')) await lookAtRest();
      if (clock.isDue('runs')) await works.look();
      if (clock.isLookDue()) await lookAgain();
      return last;
    },
  };
}

function tellLeft({ leftWords }: Look, { teller, book, runs }: InboxDesk): void {
  if (leftWords !== '') teller.line(leftWords);
  else if (!teller.hasTold()) {
    const folders = inboxesOf(book.jobs(), runs.env.home).map(({ folder }) => folder);
    teller.line(`There was no file to take in ${folders.join(', ')}.`);
  }
}

/** Nothing can be taken, and nothing that is being written could be soon. */
function isEmpty({ left, take, nextMs }: Look): boolean {
  return left.length + take.length === 0 && nextMs === null;
}
