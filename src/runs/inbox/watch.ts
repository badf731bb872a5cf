/**
 * The front door of `inbox/`, and the loop of `onboard start` and `onboard watch`: look, begin what
 * may be taken while there is room, refuse what can't be, and wait. It asks for no events: network
 * file systems have none, and a file has to rest until after the next look anyway.
 */
import { readFile, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { hasCode, insteadOf, messageOf } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import { isDeadHere, isOfAnotherMachine, newWorkerId, shownWorker } from '../../lib/worker-id.ts';
import { EXIT } from '../../model/exit.ts';
import type { Session } from '../../session.ts';
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

const STALE_MS = 15_000;
const RENEW_MS = 3_000;
const POLL_MS = 500;

/**
 * For the session: one process at a time watches the inboxes of a home, else a UsageError. Who is
 * killed has lost them at once for processes of the same machine, and after 15 s for others.
 */
export async function lockInboxes({
  env,
  io,
  releasers,
}: Pick<Session, 'env' | 'io' | 'releasers'>): Promise<void> {
  const lock = join(env.home, 'watching');
  const holder = join(env.home, 'watcher');
  const release = await takeLock(lock, holder, io);
  releasers.push(() => release().catch(insteadOf('ERELEASED', undefined)));
  await writeFile(holder, newWorkerId());
}

async function takeLock(lock: string, holder: string, io: Session['io']): Promise<() => Promise<void>> {
  const lost = () => {
    tell(io, 'Another process has taken the inboxes of this home over: this one ends.');
    process.kill(process.pid, 'SIGTERM');
  };
  const deadline = performance.now() + STALE_MS + RENEW_MS;
  for (let looks = 1; ; looks += 1) {
    const other = await holderOf(lock, holder);
    try {
      const how = { stale: STALE_MS, update: RENEW_MS, lockfilePath: lock, realpath: false };
      return await lockfile.lock(lock, { ...how, onCompromised: lost });
    } catch (error) {
      if (!hasCode(error, 'ELOCKED')) throw error;
    }
    const isHere = other !== '' && !isOfAnotherMachine(other);
    if (isHere || performance.now() > deadline || io.interrupted.aborted) throw new UsageError(heldBy(other));
    if (looks === 1) tell(io, `Waiting up to 20 s: ${shownHolder(other)} may still watch the inboxes here.`);
    await sleep(POLL_MS, io.interrupted);
  }
}

/**
 * `''`: nobody is known to have the lock. A dead one's name goes before the lock is taken: beside
 * a new lock it would let a third process free that. Of several that find it, one frees the lock.
 */
async function holderOf(lock: string, holder: string): Promise<string> {
  const name = await readFile(holder, 'utf8').catch(insteadOf('ENOENT', ''));
  if (!isDeadHere(name)) return name;
  const isFirst = await unlink(holder).then(() => true, insteadOf('ENOENT', false));
  if (isFirst) await rmdir(lock).catch(insteadOf('ENOENT', undefined));
  return '';
}

function heldBy(other: string): string {
  const expected = 'expected one watcher for each home; end that one, or set ONBOARD_HOME';
  return `${shownHolder(other)} watches the inboxes of this ONBOARD_HOME: ${expected}`;
}

function shownHolder(other: string): string {
  return other === '' ? 'another process' : shownWorker(other);
}
