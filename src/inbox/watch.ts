/**
 * The front door of `inbox/`, and the loop of `onboard start` and `onboard watch`: look, begin what
 * may be taken while there is room, refuse what can't be, and wait. It asks for no events: network
 * file systems have none, and a file has to rest until after the next look anyway.
 */
import { messageOf } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { sleep } from '../lib/waiting.ts';
import { EXIT } from '../model/exit.ts';
import { inboxesOf } from './job-book.ts';
import { createLook, type Look } from './look.ts';
import { type InboxSchedules, openInboxSchedules } from './schedule.ts';
import { createRefuse } from './settle.ts';
import { createBegin, createUnderWay, type UnderWay } from './under-way.ts';
import type { Watcher } from './watcher.ts';

const LOOK_MS = 1_000;
/** Looks take a fifth of the time at most. */
const CALM_FACTOR = 4;
const CALM_MS = 50;
/** Per look; the next one finds the others, and new files. */
const REFUSED_AT_ONCE = 500;

/** Answers the exit status. */
export async function watchInboxes(watcher: Watcher): Promise<number> {
  const { session, teller, places } = watcher;
  const { interrupted } = session.io;
  await makeFolder(places.inbox);
  const bell = createBell();
  const underWay = createUnderWay(watcher, bell.ring);
  const schedules = openInboxSchedules(watcher);
  const turn = createTurn(watcher, { bell, underWay, schedules });
  interrupted.addEventListener('abort', bell.ring);
  try {
    while (!interrupted.aborted) {
      const left = await waitingOut(watcher, turn);
      if (left === null) continue;
      tellLeft(left, watcher);
      return underWay.worst();
    }
    teller.line(`To go on: ${session.io.typed}`);
    return EXIT.interrupted;
  } finally {
    await underWay.end();
    await schedules.close();
  }
}

type Parts = {
  readonly bell: Bell;
  readonly underWay: UnderWay;
  readonly schedules: InboxSchedules;
};

/**
 * One look and what comes of it, up to the next. With `once`, where nothing is left to do, answers
 * why files stay.
 */
function createTurn(watcher: Watcher, { bell, underWay, schedules }: Parts) {
  const { interrupted } = watcher.session.io;
  const now = () => performance.now();
  const look = createLook(watcher, underWay, schedules, now);
  const begin = createBegin(watcher, underWay);
  const refuse = createRefuse(watcher);
  const refuseSome = async (entries: Look['refuse']) => {
    for (const entry of entries.slice(0, REFUSED_AT_ONCE))
      if (!interrupted.aborted && (await refuse(entry)) !== 'gone') underWay.trouble();
  };
  return async (): Promise<Look['left'] | null> => {
    const began = now();
    const endedBefore = underWay.ended();
    await schedules.keep();
    await underWay.look();
    const found = await look();
    const earliest = now() + Math.max(CALM_MS, CALM_FACTOR * (now() - began));
    const next = Math.max(earliest, now() + Math.min(LOOK_MS, found.nextMs ?? LOOK_MS));
    await begin(found);
    await refuseSome(found.refuse);
    for (;;) {
      const isStill = found.claims.length + found.files.length === 0 && underWay.ended() === endedBefore;
      if (watcher.once && isStill && underWay.active() === 0 && isLast(found)) return found.left;
      const leftMs = (needsLook(found, isStill) ? earliest : next) - now();
      if (leftMs <= 0 || interrupted.aborted) return null;
      await bell.wait(leftMs);
      await begin(found);
    }
  };
}

/** A run's end may release a waiting file. */
function needsLook({ claims, files }: Look, isStill: boolean): boolean {
  return claims.length + files.length === 0 && !isStill;
}

function isLast({ nextMs, refuse }: Look): boolean {
  return nextMs === null && refuse.length <= REFUSED_AT_ONCE;
}

type Bell = ReturnType<typeof createBell>;

/** Ends a wait; where nobody waits, the next one. */
function createBell() {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    async wait(ms: number) {
      await sleep(ms, rung.signal);
      rung = new AbortController();
    },
  };
}

/** A full Redis or disk only delays the watching. */
async function waitingOut<T>({ once, teller, session }: Watcher, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (once) throw error;
    teller.trouble(`the inboxes can't be watched right now: ${messageOf(error)}`);
    await sleep(LOOK_MS, session.io.interrupted);
    return null;
  }
}

function tellLeft(left: Look['left'], { teller, book, home }: Watcher): void {
  if (left.length > 0) teller.line(...left);
  else if (!teller.hasTold()) {
    const folders = inboxesOf(book.jobs(), home).map(({ folder }) => folder);
    teller.line(`There was no file to take in ${folders.join(', ')}.`);
  }
}
