/**
 * The claimed files of this process, each worked on by itself: begun while there is room, tried
 * again after trouble, and kept while its run waits.
 */
import { setMaxListeners } from 'node:events';
import { newRunId } from '../ledger/run-store.ts';
import { errorCode, messageOf } from '../lib/errors.ts';
import { EXIT, worse } from '../model/exit.ts';
import type { Run } from '../model/run.ts';
import { type Claim, claimEntry } from './claim.ts';
import { isHeldByWindow } from './schedule.ts';
import { pausedFile } from './settle.ts';
import type { Takeable } from './sort-out.ts';
import { pausedWords, takeClaim } from './take.ts';
import type { Watcher } from './watcher.ts';

type Work = {
  readonly claim: Claim;
  run: string | null;
  /** `window`: its run waits for that; `paused`: for a person. */
  state: 'active' | 'window' | 'paused' | 'troubled';
  working: Promise<void>;
  againAt: number;
};

const TROUBLE_MS = 10_000;
/** Runs at once: their chunks share the queue, and each keeps a file and a report open. */
const MOST_RUNS = 32;

export function createUnderWay(given: Watcher, onEnd: () => void) {
  const works = new Map<string, Work>();
  const ending = new AbortController();
  const watcher = endingWith(given, ending.signal);
  const { store, teller } = watcher;
  let worst = 0;
  let ended = 0;
  const go = (work: Work) => {
    work.state = 'active';
    work.working = workOn(work).finally(() => {
      ended += 1;
      onEnd();
    });
  };
  const workOn = async (work: Work) => {
    const { id } = work.claim;
    const onRun = (run: string) => {
      work.run = run;
    };
    try {
      const end = await takeClaim(work.claim, watcher, { onRun, isUnderWay });
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
    if (work.againAt === 0)
      teller.line(`${work.claim.info.path}: can't go on right now: ${messageOf(error)}`);
    work.state = 'troubled';
    work.againAt = performance.now() + TROUBLE_MS;
    worst = worse(worst, EXIT.notStarted);
  };
  const lookAt = async (work: Work) => {
    if (work.state === 'troubled' && performance.now() >= work.againAt) return go(work);
    if (work.state === 'troubled' || work.run === null) return;
    const run = await store.get(work.run);
    const isWaiting = run?.state === 'paused' || run?.state === 'stopped';
    const isHeld = isWaiting && run.reason === 'window';
    if (work.state !== 'paused') work.state = isHeld ? 'window' : 'active';
    // Another run may have its place by now: one more than MOST_RUNS does no harm.
    else if (!isWaiting) go(work);
  };

  return {
    start(claim: Claim) {
      const idle = { working: Promise.resolve(), run: null, againAt: 0, state: 'active' as const };
      const work: Work = { claim, ...idle };
      works.set(claim.id, work);
      go(work);
    },
    has: (claim: string) => works.has(claim),
    /** Runs under way; one whose window is closed doesn't count. */
    active: () => [...works.values()].filter(({ state }) => state === 'active').length,
    /** How often a file has ended or stayed so far. */
    ended: () => ended,
    trouble() {
      worst = worse(worst, EXIT.notStarted);
    },
    async look() {
      await Promise.all([...works.values()].map(lookAt));
    },
    worst() {
      const isHeld = [...works.values()].some(({ state }) => state === 'window');
      return isHeld ? worse(worst, EXIT.stopped) : worst;
    },
    /** Runs pause, and the next start goes on with them. */
    async end() {
      ending.abort();
      await Promise.allSettled([...works.values()].map(({ working }) => working));
    },
  };
}

export type UnderWay = ReturnType<typeof createUnderWay>;

function endingWith(watcher: Watcher, signal: AbortSignal): Watcher {
  const { session } = watcher;
  const interrupted = AbortSignal.any([session.io.interrupted, signal]);
  // Each file under way listens.
  setMaxListeners(0, interrupted);
  return { ...watcher, session: { ...session, io: { ...session.io, interrupted } } };
}

type AtHand = { readonly claims: Claim[]; readonly files: Takeable[] };

export function createBegin(watcher: Watcher, underWay: UnderWay) {
  const { session, teller } = watcher;
  const said = new Set<string>();
  /** One bad inbox must not stop the others. */
  const passOver = (error: unknown): null => {
    if (errorCode(error) === '') throw error;
    underWay.trouble();
    const words = `files can't be taken: ${messageOf(error)}`;
    if (!said.has(words)) teller.line(words);
    said.add(words);
    return null;
  };
  return async ({ claims, files }: AtHand): Promise<void> => {
    const hasRoom = () => !session.io.interrupted.aborted && underWay.active() < MOST_RUNS;
    for (let claim = claims[0]; claim !== undefined && hasRoom(); claim = claims[0]) {
      claims.shift();
      underWay.start(claim);
    }
    for (let file = files[0]; file !== undefined && hasRoom(); file = files[0]) {
      files.shift();
      // Where the window has closed since, the next look says why the file waits.
      if (isHeldByWindow(file.job)) continue;
      const claimed = await claimFile(file, watcher).catch(passOver);
      if (claimed !== null) underWay.start(claimed);
    }
  };
}

/** The claim gets its run's id; `null`: the file is gone. */
async function claimFile({ inbox, entry, job }: Takeable, watcher: Watcher): Promise<Claim | null> {
  const { target, session } = watcher;
  const { marker } = job.definition;
  const info = {
    job: job.name,
    target,
    ledger: session.ledger.name,
    path: entry.path,
    claimedAt: new Date().toISOString(),
    stamp: entry.stamp,
    marker: marker === undefined ? null : `${entry.name.toString('utf8')}${marker}`,
  };
  return claimEntry(entry, { id: await freshId(session.ledger), inbox: inbox.folder, info });
}

async function freshId(ledger: Watcher['session']['ledger']): Promise<string> {
  const id = newRunId(new Date());
  return (await ledger.index.targetOf(id)) === null ? id : freshId(ledger);
}
