/**
 * The claimed files of this process, each worked on by itself: begun while there is room, tried
 * again after trouble, kept while its run waits, and let go where another process took the claim
 * over.
 */
import { newRunId } from '../ledger/run-store.ts';
import { errorCode, hasCode, messageOf } from '../lib/errors.ts';
import { EXIT, worse } from '../model/exit.ts';
import type { Run } from '../model/run.ts';
import { beat, type Claim, type ClaimInfo, claimEntry } from './claim.ts';
import type { AtHand, Look } from './look.ts';
import { atHome } from './other-file-system.ts';
import type { Recovery } from './recover.ts';
import type { IsClosed } from './schedule.ts';
import { pausedFile } from './settle.ts';
import { prepareTakenFolder, UnusableInbox } from './shared-folder.ts';
import type { Takeable } from './sort-out.ts';
import { pausedWords, takeClaim } from './take.ts';
import type { Watcher } from './watcher.ts';

type Work = {
  claim: Claim;
  readonly end: AbortController;
  run: string | null;
  /** `window`: waits for the run's window; `paused`: for a person; `troubled`: to be retried. */
  state: 'active' | 'window' | 'paused' | 'troubled';
  working: Promise<void>;
  tries: number;
  againAt: number;
};

/** Touches claims well within the minute after which other hosts take them over. */
const BEAT_MS = 15_000;
const TROUBLE_STEP_MS = 5_000;
const TROUBLE_MAX_MS = 60_000;
/** Runs at once: their chunks share the queue, and each keeps a file and a report open. */
const MOST_RUNS = 32;

/** `onEnd` is called whenever a file ends or stays. */
export function createUnderWay(watcher: Watcher, onEnd: () => void) {
  const works = new Map<string, Work>();
  const { store, teller, session } = watcher;
  let worst = 0;
  const go = (work: Work) => {
    work.state = 'active';
    work.working = workOn(work).finally(onEnd);
  };
  const workOn = async (work: Work) => {
    const { id } = work.claim;
    try {
      const signal = AbortSignal.any([session.io.interrupted, work.end.signal]);
      const claim = await atHome(work.claim, watcher, signal);
      if (claim === null) return void works.delete(id);
      work.claim = claim;
      const onRun = (run: string) => {
        work.run = run;
      };
      const end = await takeClaim(claim, watcher, { signal, onRun, isUnderWay });
      if (end.kind === 'paused') return pause(work, end.run);
      if (end.kind === 'ended') worst = worse(worst, end.exitCode);
      works.delete(id);
    } catch (error) {
      trouble(work, error);
    }
  };
  const isUnderWay = (run: string) =>
    [...works.values()].some((one) => one.claim.id === run && one.state === 'active');
  const pause = (work: Work, run: Run) => {
    work.state = 'paused';
    work.run = run.id;
    worst = worse(worst, 2);
    teller.paused(pausedFile(work.claim, run, watcher), pausedWords(work.claim, run));
  };
  const trouble = (work: Work, error: unknown) => {
    work.state = 'troubled';
    work.tries += 1;
    work.againAt = performance.now() + Math.min(TROUBLE_STEP_MS * 2 ** (work.tries - 1), TROUBLE_MAX_MS);
    worst = worse(worst, EXIT.notStarted);
    if (work.tries === 1) teller.line(`${work.claim.info.path}: can't go on right now: ${messageOf(error)}`);
  };
  const lookAt = async (work: Work) => {
    if (work.state === 'troubled' && performance.now() >= work.againAt) return go(work);
    if (work.state === 'troubled' || work.run === null) return;
    const run = await store.get(work.run);
    const isWaiting = run?.state === 'paused' || run?.state === 'stopped';
    // Another run may have its place by now: one more than MOST_RUNS does no harm.
    if (work.state !== 'paused') work.state = isWaiting && run.reason === 'window' ? 'window' : 'active';
    else if (!isWaiting) go(work);
  };
  const beating = setInterval(() => void beatAll(works), BEAT_MS);
  beating.unref();

  return {
    start(claim: Claim) {
      const idle = { working: Promise.resolve(), run: null, tries: 0, againAt: 0, state: 'active' as const };
      const work: Work = { claim, end: new AbortController(), ...idle };
      works.set(claim.id, work);
      go(work);
    },
    has: (claim: string) => works.has(claim),
    /** Runs under way; one whose window is closed doesn't count. */
    active: () => [...works.values()].filter(({ state }) => state === 'active').length,
    /** A file could not be taken. */
    trouble() {
      worst = worse(worst, EXIT.notStarted);
    },
    claims: () => [...works.values()].map(({ claim }) => claim),
    async look() {
      await Promise.all([...works.values()].map(lookAt));
    },
    worst: () => ([...works.values()].some(({ state }) => state === 'window') ? worse(worst, 2) : worst),
    /** Lets go of all files: their runs pause, and the next start goes on with them. */
    async end() {
      clearInterval(beating);
      for (const { end } of works.values()) end.abort();
      await Promise.allSettled([...works.values()].map(({ working }) => working));
    },
  };
}

export type UnderWay = ReturnType<typeof createUnderWay>;

/** Touches the claims, and lets go of those that were taken over. */
async function beatAll(works: Map<string, Work>): Promise<void> {
  for (const work of works.values()) {
    const isMine = await beat(work.claim).catch(() => true);
    if (!isMine && works.get(work.claim.id) === work) {
      work.end.abort();
      works.delete(work.claim.id);
    }
  }
}

type BeginEdges = {
  readonly underWay: UnderWay;
  readonly recovery: Pick<Recovery, 'takeUp'>;
  readonly isClosed: IsClosed;
};

/** Begins what a look found while there is room; the rest stays in the look. */
export function createBegin(watcher: Watcher, { underWay, recovery, isClosed }: BeginEdges) {
  const claim = createClaim(watcher);
  const said = new Set<string>();
  const claimOf = async (one: AtHand): Promise<Claim | null> => {
    if (one.kind === 'claim') return recovery.takeUp(one.claim);
    // The next look finds it again, and says why it waits.
    return isClosed(one.file.job) ? null : claim(one.file);
  };
  /** One bad inbox or claim must not stop the others. */
  const passOver = (error: unknown): null => {
    if (!isPassedOver(error)) throw error;
    underWay.trouble();
    if (!said.has(error.message)) watcher.teller.line(`files can't be taken: ${error.message}`);
    said.add(error.message);
    return null;
  };
  return async ({ atHand }: Pick<Look, 'atHand'>): Promise<void> => {
    for (;;) {
      const [next] = atHand;
      if (next === undefined || watcher.session.io.interrupted.aborted) return;
      if (underWay.active() >= MOST_RUNS) return;
      atHand.shift();
      const claimed = await claimOf(next).catch(passOver);
      if (claimed !== null) underWay.start(claimed);
    }
  };
}

/** Shortages of the whole machine affect every file: nothing is passed over for them. */
const SHORT: readonly string[] = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

function isPassedOver(error: unknown): error is Error {
  if (error instanceof UnusableInbox) return true;
  return error instanceof Error && 'path' in error && !SHORT.includes(errorCode(error));
}

/** Each claim gets its run's id; `null`: another watcher was faster, or the file is gone. */
function createClaim(watcher: Watcher): (file: Takeable) => Promise<Claim | null> {
  const { member, places, session } = watcher;
  const others = new Set<string>();
  const used = new Set<string>();
  const freshId = async (): Promise<string> => {
    const id = newRunId(new Date());
    if (used.has(id) || (await session.ledger.index.targetOf(id)) !== null) return freshId();
    used.add(id);
    return id;
  };
  const claimAs = async (file: Takeable, isOnOtherFileSystem: boolean) => {
    const info = { ...infoOf(file), target: watcher.target, isOnOtherFileSystem };
    return claimEntry(file.entry, { base: places.processing, id: await freshId(), member, info });
  };
  return async (file) => {
    const { folder } = file.inbox;
    try {
      if (!others.has(folder)) return await claimAs(file, false);
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw error;
      others.add(folder);
    }
    await prepareTakenFolder(folder);
    return claimAs(file, true);
  };
}

function infoOf({ inbox, entry, job }: Takeable): Omit<ClaimInfo, 'target' | 'isOnOtherFileSystem'> {
  const { marker } = job.definition;
  return {
    job: job.name,
    inbox: inbox.folder,
    path: entry.path,
    claimedAt: new Date().toISOString(),
    stamp: entry.stamp,
    marker: marker === undefined ? null : `${entry.name.toString('utf8')}${marker}`,
  };
}
