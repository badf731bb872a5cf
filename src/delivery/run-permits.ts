/**
 * The permits of a process for one service: how many requests may be in flight. All runs together
 * have what the service bears (adaptive-limit.ts). A short permit goes to the run that has had the
 * least (start-time fair queueing): a new run's first row waits half a second at most. A rate is a
 * permit that comes later: it is taken at the run's next time, then waits for its row's intent.
 */

import { AHEAD_MS, type Reserved } from '../engine/ledger/chunk-ledger.ts';
import type { Reply } from '../model/request.ts';
import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit.ts';

export type ServicePermits = {
  join(run: RunPermitTerms): RunPermits;
  limit(): number;
  inUse(): number;
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
  inUse(): number;
  /** The run needs no more; permits it has are still to be released. */
  leave(): void;
};

type Share = Pick<RunPermits, 'tryTake' | 'free' | 'want'> & { release(): void };

/** A slow service frees permits late: then a new run's first row goes beyond the limit. */
const FIRST_WITHIN_MS = 500;

type SharingRun = {
  readonly ceiling: number;
  inUse: number;
  /** The virtual time up to which the run has had its share. */
  due: number;
  /** Its first row has waited for too long. */
  isLate: boolean;
  wake: Wake;
};

/** What all runs share. */
type Pool = {
  readonly limit: AdaptiveLimit;
  readonly runs: Set<SharingRun>;
  readonly waiting: Set<SharingRun>;
  inUse: number;
  /** The highest of the runs' own. */
  ceiling: number;
  /** The virtual time: the start of the latest grant. */
  clock: number;
};

export function createServicePermits(
  now: () => number,
  limit: AdaptiveLimit = createAdaptiveLimit(now),
): ServicePermits {
  const pool: Pool = { limit, runs: new Set(), waiting: new Set(), inUse: 0, ceiling: 1, clock: 0 };
  return {
    limit: () => mostOf(pool),
    inUse: () => pool.inUse,
    join: (terms) => joinPool(pool, terms, now),
  };
}

function joinPool(pool: Pool, { rate, stopping, ceiling }: RunPermitTerms, now: () => number): RunPermits {
  const run: SharingRun = { ceiling, inUse: 0, due: 0, isLate: false, wake: () => undefined };
  const share = shareOf(pool, run);
  const leave = () => {
    stopping.removeEventListener('abort', leave);
    pool.runs.delete(run);
    measure(pool);
    if (pool.waiting.delete(run)) run.wake(false);
  };
  stopping.addEventListener('abort', leave, { once: true });
  if (!stopping.aborted) pool.runs.add(run);
  measure(pool);
  grant(pool);

  const { tryTake, free, want } = rate === null ? share : paced(share, rate, now);
  return {
    tryTake,
    free,
    want,
    isContested: () => share.free() === 0 && run.inUse < run.ceiling,
    release(reply) {
      if (reply !== null) pool.limit.hear(reply, pool.inUse, pool.ceiling);
      share.release();
    },
    inUse: () => run.inUse,
    leave,
  };
}

function shareOf(pool: Pool, run: SharingRun): Share {
  const { runs, waiting } = pool;
  return {
    tryTake() {
      if (run.inUse >= run.ceiling || !isTurnOf(run, pool)) return false;
      pool.clock = Math.max(pool.clock, run.due);
      run.due = pool.clock + 1;
      run.inUse += 1;
      pool.inUse += 1;
      // Whoever has a permit asks anew: woken for an earlier wish, it would take one for nobody.
      waiting.delete(run);
      return true;
    },
    free: () => Math.max(0, Math.min(run.ceiling - run.inUse, mostOf(pool) - pool.inUse)),
    want(count, wake) {
      run.wake = wake;
      if (count === 0) waiting.delete(run);
      else if (!runs.has(run)) wake(false);
      else waiting.add(run);
      if (count > 0 && run.due === 0) setTimeout(goFirst, FIRST_WITHIN_MS, run, pool).unref();
    },
    release() {
      run.inUse -= 1;
      pool.inUse -= 1;
      grant(pool);
    },
  };
}

function mostOf({ limit, ceiling }: Pool): number {
  return limit.current(ceiling);
}

function isFull(pool: Pool): boolean {
  return pool.inUse >= mostOf(pool);
}

function isTurnOf(run: SharingRun, pool: Pool): boolean {
  if (isFull(pool)) return run.due === 0 && run.isLate;
  const next = nextOf(pool.waiting);
  return next === null || run.due <= next.due;
}

function goFirst(run: SharingRun, { waiting }: Pool): void {
  run.isLate = true;
  if (waiting.has(run)) run.wake(true);
}

function measure(pool: Pool): void {
  const ceilings = [...pool.runs].map(({ ceiling }) => ceiling);
  pool.ceiling = Math.max(1, ...ceilings);
}

function grant(pool: Pool): void {
  const { waiting } = pool;
  while (!isFull(pool)) {
    const next = nextOf(waiting);
    if (next === null) return;
    waiting.delete(next);
    next.wake(true);
  }
}

function nextOf(waiting: ReadonlySet<SharingRun>): SharingRun | null {
  let next: SharingRun | null = null;
  for (const run of waiting) {
    const isEarlier = next === null || run.due < next.due;
    if (isEarlier && run.inUse < run.ceiling) next = run;
  }
  return next;
}

/** A time missed by more is lost: a process that stood still would use all it missed at once. */
const LATE_MS = 60;
/** Workers that find no time ask again no sooner than this. */
const SHORTEST_PAUSE_MS = 10;

/** A worker's part of its run's time line. */
type TimeLine = {
  readonly share: Share;
  readonly rate: RunRate;
  readonly now: () => number;
  /** Permits of which the time has come. */
  ready: number;
  wanted: number;
  wake: Wake;
  /** This worker's times, ascending. */
  readonly times: number[];
  /** When to ask for more of them. */
  askAt: number;
  isServing: boolean;
};

/**
 * Permits at the run's times, no faster over all workers. Times belong to the worker, are reserved
 * a moment ahead with a permit in hand, and no more than there are permits: a worker that is killed
 * or waits for answers takes few from the others.
 */
function paced(share: Share, rate: RunRate, now: () => number): Share {
  const line: TimeLine = {
    share,
    rate,
    now,
    ready: 0,
    wanted: 0,
    wake: () => undefined,
    times: [],
    askAt: Number.NEGATIVE_INFINITY,
    isServing: false,
  };
  return {
    ...share,
    tryTake() {
      if (line.ready === 0) return false;
      line.ready -= 1;
      return true;
    },
    free: () => line.ready,
    want(count, onFree) {
      line.wanted = count;
      line.wake = onFree;
      for (; line.ready > count; line.ready -= 1) share.release();
      if (isShort(line) && !line.isServing) void serve(line);
    },
  };
}

function isShort({ ready, wanted }: TimeLine): boolean {
  return ready < wanted;
}

async function serve(line: TimeLine): Promise<void> {
  line.isServing = true;
  try {
    while (isShort(line) && (await serveNext(line)));
  } catch (error) {
    line.rate.onTrouble(error);
  }
  if (isShort(line)) line.wake(false);
  line.isServing = false;
}

/** Has a permit by the next time; false: the run or the process ends. */
async function serveNext(line: TimeLine): Promise<boolean> {
  const { share, rate, now, times } = line;
  if (!hasTimes(line) && !(await rate.pause(line.askAt - now()))) return false;
  if (!(await takePermit(share))) return false;

  let isDue = false;
  try {
    if (!hasTimes(line) && isShort(line)) await reserveTimes(line);
    const at = times.shift();
    if (at === undefined) return true;
    isDue = await rate.pause(at - now());
    return isDue;
  } finally {
    if (isDue && isShort(line)) {
      line.ready += 1;
      line.wake(true);
    } else share.release();
  }
}

function hasTimes({ times, now }: TimeLine): boolean {
  const missedBefore = now() - LATE_MS;
  while ((times[0] ?? missedBefore) < missedBefore) times.shift();
  return times.length > 0;
}

async function reserveTimes(line: TimeLine): Promise<void> {
  const { share, rate, now } = line;
  const reserved = await rate.reserve(Math.min(line.wanted - line.ready, 1 + share.free()));
  const due = now() + reserved.inMs;
  for (let n = 0; n < reserved.times; n += 1) line.times.push(due + n * rate.intervalMs);
  // No time is given further ahead, so this worker's next one is not before.
  const next = due + reserved.times * rate.intervalMs - AHEAD_MS;
  line.askAt = reserved.times > 0 ? next : Math.max(due, now() + SHORTEST_PAUSE_MS);
}

function takePermit(share: Share): Promise<boolean> {
  return new Promise((resolve) => {
    const tryTake = (goesOn: boolean) => {
      if (!goesOn || share.tryTake()) resolve(goesOn);
      else share.want(1, tryTake);
    };
    tryTake(true);
  });
}
