/**
 * The permits of a process for one service: how many requests may be in flight, shared by its runs. A permit is held until the reply is
 * there, and never while a row waits for anything else. A run has no more than `send.concurrency`, all together no more than the service
 * bears (adaptive-limit.ts), and a run with a rate takes its permits at its times only. Where not all can be served, a permit that comes free
 * goes to the run that has had the least (start-time fair queueing), so that a new run has its next one at once: its first row waits half a
 * second at most.
 */

import { AHEAD_MS, type Reserved } from '../ledger/chunk-ledger.ts';
import { createWaitingLine, type WaitingLine } from '../lib/waiting-line.ts';
import type { Reply } from '../model/request.ts';
import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit.ts';

/** What a process may have in flight at one service. */
export type ServicePermits = {
  join(run: RunPermitTerms): RunPermits;
  /** How many requests may be in flight now. */
  limit(): number;
  /** How many permits are taken, by all runs. */
  taken(): number;
};

type RunPermitTerms = {
  /** The most that the run may have at once. */
  readonly ceiling: number;
  /** Fires when the run or the process ends: nobody waits any longer. */
  readonly stopping: AbortSignal;
  /** `null`: as fast as it goes. */
  readonly rate: RunRate | null;
};

export type RunRate = {
  readonly intervalMs: number;
  /** As many times on the run's time line as that, over all workers, or fewer. */
  reserve(times: number): Promise<Reserved>;
  /** False: the run or the process ends. */
  pause(ms: number): Promise<boolean>;
  /** No time could be reserved. */
  onTrouble(error: unknown): void;
};

export type RunPermits = {
  /** Takes a permit where one is free; costs next to nothing. With a rate there is none but for who waits. */
  tryTake(): boolean;
  /**
   * Calls with true when a permit is taken, with a rate at the run's next time; with false when the run or the process ends, or no time
   * could be reserved.
   */
  wait(granted: OnPermit): void;
  /** How many permits `tryTake` could take right now. */
  free(): number;
  /** None is free although the run has fewer than it may have: others have them, or the service bears no more. */
  isContested(): boolean;
  /** Gives a permit back; the reply tells how the service bears the load, `null`: nothing was sent. */
  release(reply: Reply | null): void;
  /** Permits that the run has right now. */
  taken(): number;
  /** The run needs no more; those it has are still to be given back. */
  leave(): void;
};

type OnPermit = (isTaken: boolean) => void;
type Share = Pick<RunPermits, 'tryTake' | 'wait' | 'free'> & { release(): void; giveUp(): void };

type ServicePermitsEdges = {
  readonly now: () => number;
  readonly limit?: AdaptiveLimit;
};

/** A service may take long for each answer, and permits come no sooner: a new run's first row then goes beyond the limit. */
const FIRST_WITHIN_MS = 500;

type SharingRun = {
  readonly ceiling: number;
  taken: number;
  /** The virtual time at which the run has had its due for what it was given. */
  due: number;
  readonly line: WaitingLine<OnPermit>;
};

export function createServicePermits(edges: ServicePermitsEdges): ServicePermits {
  const { now, limit = createAdaptiveLimit(now) } = edges;
  const runs = new Set<SharingRun>();
  /** The runs of which rows wait. */
  const waiting = new Set<SharingRun>();
  let taken = 0;
  /** The largest of the runs that have joined. */
  let ceiling = 1;
  /** The virtual time: the start of what was given last. */
  let clock = 0;

  const measure = () => {
    ceiling = Math.max(1, ...[...runs].map((run) => run.ceiling));
  };
  const isFull = () => taken >= limit.current(ceiling);
  const take = (run: SharingRun) => {
    clock = Math.max(clock, run.due);
    run.due = clock + 1;
    run.taken += 1;
    taken += 1;
  };
  const serve = (run: SharingRun) => {
    const granted = run.line.shift();
    if (run.line.length() === 0) waiting.delete(run);
    take(run);
    granted?.(true);
  };
  const grant = () => {
    while (waiting.size > 0 && !isFull()) {
      const next = nextOf(waiting);
      if (next === null) return;
      serve(next);
    }
  };
  const shareOf = (run: SharingRun): Share => {
    let isFirstAwaited = false;
    const goFirst = () => {
      if (run.due === 0 && run.line.length() > 0) serve(run);
    };
    return {
      tryTake() {
        if (run.taken >= run.ceiling || isFull()) return false;
        take(run);
        return true;
      },
      wait(granted) {
        run.line.push(granted);
        waiting.add(run);
        if (run.due === 0 && !isFirstAwaited) setTimeout(goFirst, FIRST_WITHIN_MS).unref();
        isFirstAwaited = true;
        grant();
      },
      free: () => Math.max(0, Math.min(run.ceiling - run.taken, limit.current(ceiling) - taken)),
      release() {
        run.taken -= 1;
        taken -= 1;
        grant();
      },
      giveUp() {
        waiting.delete(run);
        refuseAll(run.line);
      },
    };
  };

  return {
    limit: () => limit.current(ceiling),
    taken: () => taken,
    join({ rate, stopping, ...terms }) {
      const run: SharingRun = { ...terms, taken: 0, due: 0, line: createWaitingLine() };
      const share = shareOf(run);
      const { tryTake, free, giveUp, ...source } = rate === null ? share : paced(share, rate, now);
      const wait: RunPermits['wait'] = (granted) =>
        stopping.aborted || !runs.has(run) ? granted(false) : source.wait(granted);
      stopping.addEventListener('abort', giveUp, { once: true });
      runs.add(run);
      measure();
      return {
        tryTake,
        wait,
        free,
        isContested: () => share.free() === 0 && run.taken < run.ceiling,
        release(reply) {
          if (reply !== null) limit.hear(reply, taken, ceiling);
          share.release();
        },
        taken: () => run.taken,
        leave() {
          stopping.removeEventListener('abort', giveUp);
          giveUp();
          runs.delete(run);
          measure();
        },
      };
    },
  };
}

/** Of the runs that wait below their ceilings, the one that is to be served next. */
function nextOf(waiting: ReadonlySet<SharingRun>): SharingRun | null {
  let next: SharingRun | null = null;
  for (const run of waiting) if (run.taken < run.ceiling && (next === null || run.due < next.due)) next = run;
  return next;
}

/** Those who come back meanwhile wait again. */
function refuseAll(line: WaitingLine<OnPermit>): void {
  for (let left = line.length(); left > 0; left -= 1) line.shift()?.(false);
}

/** A time that was missed by more is lost: a process that stood still would use at once all that it missed. */
const LATE_MS = 60;
/** Workers that find no time ask again no sooner, however little the next one is off. */
const SHORTEST_PAUSE_MS = 10;

/**
 * A share whose permits are taken at the run's times, no faster over all workers together. Times belong to the worker and not to its rows,
 * are reserved a moment ahead, with a permit in hand, and no more than there are permits: a worker that is killed, or that waits for
 * answers, takes few from the others.
 */
function paced(share: Share, { intervalMs, reserve, pause, onTrouble }: RunRate, now: () => number): Share {
  const line = createWaitingLine<OnPermit>();
  /** How many times are this worker's, and when the next of them is. */
  let left = 0;
  let due = 0;
  let askAt = Number.NEGATIVE_INFINITY;
  let isServing = false;

  const passOver = (times: number) => {
    left -= times;
    due += times * intervalMs;
    // This worker's own next time is not before, and none is given that is farther off.
    if (left === 0) askAt = due - AHEAD_MS;
  };
  /** How many times this worker has; those that it missed are over. */
  const times = (): number => {
    const missed = Math.ceil((now() - LATE_MS - due) / intervalMs);
    if (left > 0 && missed > 0) passOver(Math.min(left, missed));
    return left;
  };
  const ask = async () => {
    const reserved = await reserve(Math.min(line.length(), 1 + share.free()));
    [left, due] = [reserved.times, now() + reserved.inMs];
    if (left === 0) askAt = Math.max(due, now() + SHORTEST_PAUSE_MS);
  };
  const giveUp = () => {
    refuseAll(line);
    share.giveUp();
  };
  /** Lets the first in the line go at the next time; false: the run or the process ends. */
  const serveNext = async (): Promise<boolean> => {
    if (times() === 0 && !(await pause(askAt - now()))) return false;
    if (!(await new Promise<boolean>((resolve) => share.wait(resolve)))) return false;
    let granted: OnPermit | undefined;
    try {
      if (times() === 0) await ask();
      if (left === 0) return true;
      const at = due;
      passOver(1);
      const goesOn = await pause(at - now());
      if (goesOn) granted = line.shift();
      return goesOn;
    } finally {
      if (granted === undefined) share.release();
      else granted(true);
    }
  };
  const serve = async () => {
    isServing = true;
    try {
      while (line.length() > 0) if (!(await serveNext())) giveUp();
    } catch (error) {
      onTrouble(error);
      giveUp();
    }
    isServing = false;
  };

  return {
    ...share,
    tryTake: () => false,
    free: () => 0,
    wait(granted) {
      line.push(granted);
      if (!isServing) void serve();
    },
    giveUp,
  };
}
