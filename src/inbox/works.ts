import type { Run } from '../model/run.ts';
import { worse } from '../runs/status.ts';
import type { Claim } from './claim.ts';
import { atHome } from './claiming.ts';
import { beat } from './claims.ts';
import type { InboxDesk } from './desk.ts';
import { NOT_TAKEN_EXIT, pausedFile } from './settle.ts';
import { pausedWords, takeClaim } from './take.ts';
import { weightOfJob } from './urgency.ts';

/** The claimed files of this process. */
export type Works = {
  start(claim: Claim): void;
  has(claim: string): boolean;
  /** How many runs of at least that weight are under way; one whose window is closed leaves its place to others. */
  active(weight?: number): number;
  /** Notes that there was a file that could not be taken. */
  trouble(): void;
  /** Job → a word on what of it is under way. */
  jobs(): ReadonlyMap<string, string>;
  /** Looks whether somebody went on with runs that wait. */
  look(): Promise<void>;
  /** Exit status of the worst file so far. */
  worst(): number;
  /** Lets go of all: their runs pause, and the next start goes on. */
  end(): Promise<void>;
};

type Work = {
  claim: Claim;
  readonly weight: number;
  readonly end: AbortController;
  run: string | null;
  state: 'active' | 'window' | 'paused' | 'troubled';
  working: Promise<void>;
  tries: number;
  againAt: number;
};

/** Well within the time after which others take a claim over. */
const BEAT_MS = 15_000;
const TROUBLE_STEP_MS = 5_000;
const TROUBLE_MAX_MS = 60_000;

export function createWorks(desk: InboxDesk, onEnd: () => void): Works {
  const works = new Map<string, Work>();
  const { store } = desk.runs.ledger.of(desk.runs.service.target);
  let worst = 0;
  const go = (work: Work) => {
    work.state = 'active';
    work.working = carryOut(work).finally(onEnd);
  };
  const carryOut = async (work: Work) => {
    const { id } = work.claim;
    try {
      const signal = AbortSignal.any([desk.runs.io.interrupted, work.end.signal]);
      const claim = await atHome(work.claim, desk, signal);
      if (claim === null) return void works.delete(id);
      work.claim = claim;
      const onRun = (run: string) => {
        work.run = run;
      };
      const end = await takeClaim(claim, desk, { signal, onRun, isUnderWay });
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
    desk.teller.paused(pausedFile(work.claim, run, desk), pausedWords(work.claim, run));
  };
  const trouble = (work: Work, error: unknown) => {
    work.state = 'troubled';
    work.tries += 1;
    work.againAt = performance.now() + Math.min(TROUBLE_STEP_MS * 2 ** (work.tries - 1), TROUBLE_MAX_MS);
    worst = worse(worst, NOT_TAKEN_EXIT);
    const message = error instanceof Error ? error.message : String(error);
    if (work.tries === 1)
      desk.teller.line(`${work.claim.info.path}: can't be gone on with right now: ${message}`);
  };
  const lookAt = async (work: Work) => {
    if (work.state === 'troubled' && performance.now() >= work.againAt) return go(work);
    if (work.state === 'troubled' || work.run === null) return;
    const run = await store.get(work.run);
    const isWaiting = run?.state === 'paused' || run?.state === 'stopped';
    // Its place may have been given away meanwhile: one run more than usual is no harm.
    if (work.state !== 'paused') work.state = isWaiting && run.reason === 'window' ? 'window' : 'active';
    else if (!isWaiting) go(work);
  };
  const inState = (state: Work['state']) => [...works.values()].filter((one) => one.state === state).length;
  const beating = setInterval(() => void beatAll(works), BEAT_MS);
  beating.unref();

  return {
    start(claim) {
      const idle = { working: Promise.resolve(), run: null, tries: 0, againAt: 0, state: 'active' as const };
      const weight = weightOfJob(claim.info.job, desk.book);
      const work: Work = { claim, weight, end: new AbortController(), ...idle };
      works.set(claim.id, work);
      go(work);
    },
    has: (claim) => works.has(claim),
    active: (weight = 0) =>
      [...works.values()].filter((one) => one.state === 'active' && one.weight >= weight).length,
    trouble() {
      worst = worse(worst, NOT_TAKEN_EXIT);
    },
    jobs: () => new Map([...works.values()].map((one) => [one.claim.info.job, wordsOf(one)])),
    async look() {
      await Promise.all([...works.values()].map(lookAt));
    },
    worst: () => (inState('window') > 0 ? worse(worst, 2) : worst),
    async end() {
      clearInterval(beating);
      for (const { end } of works.values()) end.abort();
      await Promise.allSettled([...works.values()].map(({ working }) => working));
    },
  };
}

function wordsOf({ claim, state }: Work): string {
  return `${claim.info.path} is ${state === 'paused' ? 'waiting for its paused run' : 'under way'}`;
}

/** A claim that was taken over, since this process did not show for long that it lives, is let go. */
async function beatAll(works: Map<string, Work>): Promise<void> {
  for (const work of works.values()) {
    const isMine = await beat(work.claim).catch(() => true);
    if (!isMine && works.get(work.claim.id) === work) {
      work.end.abort();
      works.delete(work.claim.id);
    }
  }
}
