/**
 * The permits of a process for one service: how many requests may be in flight. A permit is held
 * until the reply is there, never while a row waits for anything else. All runs together have what
 * the service bears (adaptive-limit.ts). A short permit goes to the run that has had the least
 * (start-time fair queueing): a new run's first row waits half a second at most.
 */

import { AHEAD_MS, type Reserved } from '../ledger/chunk-ledger.ts';
import type { Reply } from '../model/request.ts';
import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit.ts';

export type ServicePermits = {
  join(run: RunPermitTerms): RunPermits;
  limit(): number;
  taken(): number;
};

type RunPermitTerms = {
  readonly ceiling: number;
  /** Fires when the run or the process ends: nobody waits any longer. */
  readonly stopping: AbortSignal;
  /** `null`: as fast as it goes. */
  readonly rate: RunRate | null;
};

export type RunRate = {
  readonly intervalMs: number;
  /** Up to that many times on the run's time line, over all workers. */
  reserve(times: number): Promise<Reserved>;
  /** False: the run or the process ends. */
  pause(ms: number): Promise<boolean>;
  onTrouble(error: unknown): void;
};

export type RunPermits = {
  /** Takes a free permit, at almost no cost. Runs with a rate get permits only by `wait`. */
  tryTake(): boolean;
  /**
   * Calls with true once a permit is taken, under a rate at the run's next time; with false when
   * the run or the process ends, or no time could be reserved.
   */
  wait(granted: OnPermit): void;
  free(): number;
  /** None is free below the run's ceiling: others have them, or the service bears no more. */
  isContested(): boolean;
  /** `reply`: shows how the service bears the load; `null`: nothing was sent. */
  release(reply: Reply | null): void;
  taken(): number;
  /** The run needs no more; permits it has are still to be released. */
  leave(): void;
};

type OnPermit = (isTaken: boolean) => void;
type Share = Pick<RunPermits, 'tryTake' | 'wait' | 'free'> & { release(): void; giveUp(): void };

type ServicePermitsEdges = {
  readonly now: () => number;
  readonly limit?: AdaptiveLimit;
};

/** A slow service frees permits late: then a new run's first row goes beyond the limit. */
const FIRST_WITHIN_MS = 500;

type SharingRun = {
  readonly ceiling: number;
  taken: number;
  /** The virtual time up to which the run has had its share. */
  due: number;
  readonly line: OnPermit[];
};

export function createServicePermits(edges: ServicePermitsEdges): ServicePermits {
  const { now, limit = createAdaptiveLimit(now) } = edges;
  const runs = new Set<SharingRun>();
  const waiting = new Set<SharingRun>();
  let taken = 0;
  /** The largest of the joined runs. */
  let ceiling = 1;
  /** The virtual time: the start of the latest grant. */
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
    if (run.line.length === 0) waiting.delete(run);
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
      if (run.due === 0 && run.line.length > 0) serve(run);
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
      const run: SharingRun = { ...terms, taken: 0, due: 0, line: [] };
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

function nextOf(waiting: ReadonlySet<SharingRun>): SharingRun | null {
  let next: SharingRun | null = null;
  for (const run of waiting) if (run.taken < run.ceiling && (next === null || run.due < next.due)) next = run;
  return next;
}

/** Callers that come back meanwhile wait again. */
function refuseAll(line: OnPermit[]): void {
  for (const granted of line.splice(0)) granted(false);
}

/** A time missed by more is lost: a process that stood still would use all it missed at once. */
const LATE_MS = 60;
/** Workers that find no time ask again no sooner than this. */
const SHORTEST_PAUSE_MS = 10;

/**
 * Permits at the run's times, no faster over all workers. Times belong to the worker, are reserved
 * a moment ahead with a permit in hand, and no more than there are permits: a worker that is killed
 * or waits for answers takes few from the others.
 */
function paced(share: Share, { intervalMs, reserve, pause, onTrouble }: RunRate, now: () => number): Share {
  const line: OnPermit[] = [];
  /** How many times this worker has, and when the next of them is. */
  let left = 0;
  let due = 0;
  let askAt = Number.NEGATIVE_INFINITY;
  let isServing = false;

  const passOver = (times: number) => {
    left -= times;
    due += times * intervalMs;
    // No time is given further ahead, so this worker's next one is not before.
    if (left === 0) askAt = due - AHEAD_MS;
  };
  /** How many times this worker has; missed ones are dropped. */
  const times = (): number => {
    const missed = Math.ceil((now() - LATE_MS - due) / intervalMs);
    if (left > 0 && missed > 0) passOver(Math.min(left, missed));
    return left;
  };
  const ask = async () => {
    const reserved = await reserve(Math.min(line.length, 1 + share.free()));
    [left, due] = [reserved.times, now() + reserved.inMs];
    if (left === 0) askAt = Math.max(due, now() + SHORTEST_PAUSE_MS);
  };
  const giveUp = () => {
    refuseAll(line);
    share.giveUp();
  };
  /** Lets the first in line go at the next time; false: the run or the process ends. */
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
      while (line.length > 0) if (!(await serveNext())) giveUp();
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
