/**
 * The permits of a process for one service: how many requests may be in flight. All runs together
 * have what the service bears (adaptive-limit.ts). A short permit goes to the run that has had the
 * least (start-time fair queueing): a new run's first row waits half a second at most. A rate is a
 * permit that comes later: it is taken at the run's next time, then waits for its row's intent.
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

/** False: none comes any more, since the run or the process ends, or no time could be reserved. */
type Wake = (goesOn: boolean) => void;

export type RunPermits = {
  tryTake(): boolean;
  free(): number;
  /** How many more permits would be of use now; `wake`, once one may be free. */
  want(count: number, wake: Wake): void;
  /** None is free below the run's ceiling: others have them, or the service bears no more. */
  isContested(): boolean;
  /** `reply`: shows how the service bears the load; `null`: nothing was sent. */
  release(reply: Reply | null): void;
  taken(): number;
  /** The run needs no more; permits it has are still to be released. */
  leave(): void;
};

type Share = Pick<RunPermits, 'tryTake' | 'free' | 'want'> & { release(): void };

/** A slow service frees permits late: then a new run's first row goes beyond the limit. */
const FIRST_WITHIN_MS = 500;

type SharingRun = {
  readonly ceiling: number;
  taken: number;
  /** The virtual time up to which the run has had its share. */
  due: number;
  /** Its first row has waited for too long. */
  isLate: boolean;
  wake: Wake;
};

export function createServicePermits(
  now: () => number,
  limit: AdaptiveLimit = createAdaptiveLimit(now),
): ServicePermits {
  const runs = new Set<SharingRun>();
  const waiting = new Set<SharingRun>();
  let taken = 0;
  let ceiling = 1;
  /** The virtual time: the start of the latest grant. */
  let clock = 0;

  const measure = () => {
    ceiling = Math.max(1, ...[...runs].map((run) => run.ceiling));
  };
  const isFull = () => taken >= limit.current(ceiling);
  const isTurnOf = (run: SharingRun) => {
    if (isFull()) return run.due === 0 && run.isLate;
    return run.due <= (nextOf(waiting)?.due ?? run.due);
  };
  const grant = () => {
    while (!isFull()) {
      const next = nextOf(waiting);
      if (next === null) return;
      waiting.delete(next);
      next.wake(true);
    }
  };
  const goFirst = (run: SharingRun) => {
    run.isLate = true;
    if (waiting.has(run)) run.wake(true);
  };
  const shareOf = (run: SharingRun): Share => ({
    tryTake() {
      if (run.taken >= run.ceiling || !isTurnOf(run)) return false;
      clock = Math.max(clock, run.due);
      run.due = clock + 1;
      run.taken += 1;
      taken += 1;
      // Whoever has a permit asks anew: woken for an earlier wish, it would take one for nobody.
      waiting.delete(run);
      return true;
    },
    free: () => Math.max(0, Math.min(run.ceiling - run.taken, limit.current(ceiling) - taken)),
    want(count, wake) {
      run.wake = wake;
      if (count === 0) waiting.delete(run);
      else if (!runs.has(run)) wake(false);
      else waiting.add(run);
      if (count > 0 && run.due === 0) setTimeout(goFirst, FIRST_WITHIN_MS, run).unref();
    },
    release() {
      run.taken -= 1;
      taken -= 1;
      grant();
    },
  });

  return {
    limit: () => limit.current(ceiling),
    taken: () => taken,
    join({ rate, stopping, ...terms }) {
      const run: SharingRun = { ...terms, taken: 0, due: 0, isLate: false, wake: () => undefined };
      const share = shareOf(run);
      const leave = () => {
        stopping.removeEventListener('abort', leave);
        runs.delete(run);
        measure();
        if (waiting.delete(run)) run.wake(false);
      };
      stopping.addEventListener('abort', leave, { once: true });
      if (!stopping.aborted) runs.add(run);
      measure();
      grant();
      const { tryTake, free, want } = rate === null ? share : paced(share, rate, now);
      return {
        tryTake,
        free,
        want,
        isContested: () => share.free() === 0 && run.taken < run.ceiling,
        release(reply) {
          if (reply !== null) limit.hear(reply, taken, ceiling);
          share.release();
        },
        taken: () => run.taken,
        leave,
      };
    },
  };
}

function nextOf(waiting: ReadonlySet<SharingRun>): SharingRun | null {
  let next: SharingRun | null = null;
  for (const run of waiting) if (run.taken < run.ceiling && (next === null || run.due < next.due)) next = run;
  return next;
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
  /** Permits of which the time has come. */
  let ready = 0;
  let wanted = 0;
  let wake: Wake = () => undefined;
  /** This worker's times, ascending. */
  let times: number[] = [];
  let askAt = Number.NEGATIVE_INFINITY;
  let isServing = false;

  const hasTimes = () => {
    const missedBefore = now() - LATE_MS;
    while ((times[0] ?? missedBefore) < missedBefore) times.shift();
    return times.length > 0;
  };
  const ask = async () => {
    const reserved = await reserve(Math.min(wanted - ready, 1 + share.free()));
    const due = now() + reserved.inMs;
    times = Array.from({ length: reserved.times }, (_, i) => due + i * intervalMs);
    // No time is given further ahead, so this worker's next one is not before.
    const next = due + reserved.times * intervalMs - AHEAD_MS;
    askAt = reserved.times > 0 ? next : Math.max(due, now() + SHORTEST_PAUSE_MS);
  };
  const take = () =>
    new Promise<boolean>((resolve) => {
      const tryTake = (goesOn: boolean) => {
        if (!goesOn || share.tryTake()) resolve(goesOn);
        else share.want(1, tryTake);
      };
      tryTake(true);
    });
  /** Has a permit by the next time; false: the run or the process ends. */
  const serveNext = async (): Promise<boolean> => {
    if (!hasTimes() && !(await pause(askAt - now()))) return false;
    if (!(await take())) return false;
    let isDue = false;
    try {
      if (!hasTimes() && ready < wanted) await ask();
      const at = times.shift();
      if (at === undefined) return true;
      isDue = await pause(at - now());
      return isDue;
    } finally {
      if (isDue && ready < wanted) {
        ready += 1;
        wake(true);
      } else share.release();
    }
  };
  const serve = async () => {
    isServing = true;
    try {
      while (ready < wanted && (await serveNext()));
    } catch (error) {
      onTrouble(error);
    }
    if (ready < wanted) wake(false);
    isServing = false;
  };

  return {
    ...share,
    tryTake() {
      if (ready === 0) return false;
      ready -= 1;
      return true;
    },
    free: () => ready,
    want(count, onFree) {
      wanted = count;
      wake = onFree;
      for (; ready > wanted; ready -= 1) share.release();
      if (ready < wanted && !isServing) void serve();
    },
  };
}
