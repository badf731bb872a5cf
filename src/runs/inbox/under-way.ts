/**
 * The claimed files of this process, each worked on by itself: begun while there is room, tried
 * again after trouble, and kept while its run waits.
 */
import { setMaxListeners } from 'node:events';
import { newRunId } from '../../engine/ledger/run-store.ts';
import { errorCode, messageOf } from '../../lib/errors.ts';
import { EXIT, worse } from '../../model/exit.ts';
import type { Run } from '../../model/run.ts';
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
  const ending = new AbortController();
  const watcher = endingWith(given, ending.signal);
  const works = new Map<string, Work>();
  const inState = (state: Work['state']) => [...works.values()].filter((work) => work.state === state);
  let ended = 0;
  let worstExit = 0;
  const note = (exit: number) => {
    worstExit = worse(worstExit, exit);
  };

  const go = (work: Work) => {
    work.state = 'active';
    work.working = workOn(work).finally(() => {
      ended += 1;
      onEnd();
    });
  };
  const workOn = async (work: Work) => {
    const onRun = (run: string) => {
      work.run = run;
    };
    try {
      const end = await takeClaim(work.claim, watcher, { onRun, isUnderWay });
      if (end.kind === 'paused') return keep(work, end.run, watcher, note);
      if (end.kind === 'ended') note(end.exitCode);
      works.delete(work.claim.id);
    } catch (error) {
      tryLater(work, error, watcher);
      note(EXIT.notStarted);
    }
  };
  const isUnderWay = (run: string) => inState('active').some(({ claim }) => claim.id === run);
  const lookAt = async (work: Work) => {
    if (await mayGoAgain(work, watcher)) go(work);
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
    active: () => inState('active').length,
    /** How often a file has ended or stayed so far. */
    ended: () => ended,
    trouble: () => note(EXIT.notStarted),
    async look() {
      await Promise.all([...works.values()].map(lookAt));
    },
    worst() {
      const isHeld = inState('window').length > 0;
      return isHeld ? worse(worstExit, EXIT.stopped) : worstExit;
    },
    /** Runs pause, and the next start goes on with them. */
    async end() {
      ending.abort();
      await Promise.allSettled([...works.values()].map(({ working }) => working));
    },
  };
}

export type UnderWay = ReturnType<typeof createUnderWay>;

/** Its run waits for a person. */
function keep(work: Work, run: Run, watcher: Watcher, note: (exit: number) => void): void {
  work.state = 'paused';
  work.run = run.id;
  note(EXIT.stopped);
  watcher.teller.paused(pausedFile(work.claim, run, watcher), pausedWords(work.claim, run));
}

function tryLater(work: Work, error: unknown, { teller }: Watcher): void {
  const isFirst = work.againAt === 0;
  if (isFirst) teller.line(`${work.claim.info.path}: can't go on right now: ${messageOf(error)}`);
  work.state = 'troubled';
  work.againAt = performance.now() + TROUBLE_MS;
}

async function mayGoAgain(work: Work, { store }: Watcher): Promise<boolean> {
  if (work.state === 'troubled') return performance.now() >= work.againAt;
  if (work.run === null) return false;
  const run = await store.get(work.run);
  const isWaiting = run?.state === 'paused' || run?.state === 'stopped';
  // Another run may have its place by now: one more than MOST_RUNS does no harm.
  if (work.state === 'paused') return !isWaiting;
  const isHeld = isWaiting && run.reason === 'window';
  work.state = isHeld ? 'window' : 'active';
  return false;
}

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
