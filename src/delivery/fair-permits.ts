/**
 * The permits of a process for one service: how many requests may be in flight, shared by its runs. Where not all can be served, a permit
 * that comes free goes to the run that has had the least for its weight (start-time fair queueing), so that a new run has its next one at
 * once, and within a run to the row that has waited longest. A new run's first row waits half a second at most.
 */

import { createWaitingLine, type WaitingLine } from '../lib/waiting-line.ts';

export type FairPermits = {
  join(terms: PermitTerms): PermitShare;
  /** Permits that are taken, of all runs. */
  taken(): number;
  /** Every permit that there is now is taken. */
  isFull(): boolean;
  /** The largest ceiling of the runs that have joined. */
  ceiling(): number;
};

export type PermitTerms = {
  /** The most that the run may have at once. */
  readonly ceiling: number;
  /** A run of weight 4 has four permits for each one of a run of weight 1 while both wait. */
  readonly weight: number;
};

/** One run's way to the permits. */
export type PermitShare = {
  /** Takes a permit where one is free; costs next to nothing. */
  tryTake(): boolean;
  /** Calls with true when a permit is taken, and with false when the run gives up waiting. `isFirst`: before the run's others. */
  wait(granted: OnPermit, isFirst: boolean): void;
  release(): void;
  /** All rows of the run that wait are called with false. */
  giveUp(): void;
  taken(): number;
  /** How many permits the run could take right now. */
  free(): number;
  /** The run takes no more permits; those it has are still to be released. */
  leave(): void;
};

type OnPermit = (isTaken: boolean) => void;

type FairPermitsOptions = {
  /** How many permits there are now, given the largest ceiling; whole, 1 or more. */
  readonly limit: (ceiling: number) => number;
  /** A run's first row waits no longer, ms: then it goes beyond the limit. Half a second by default. */
  readonly firstWithinMs?: number;
};

/** Permits come free no more often than answers come, and a service may take long for each: a new run's first row waits no longer. */
const FIRST_WITHIN_MS = 500;

type SharingRun = PermitTerms & {
  taken: number;
  /** The virtual time at which the run has had its due for what it was given. */
  due: number;
  readonly waiting: WaitingLine<OnPermit>;
};

export function createFairPermits({
  limit,
  firstWithinMs = FIRST_WITHIN_MS,
}: FairPermitsOptions): FairPermits {
  const runs = new Set<SharingRun>();
  let taken = 0;
  let ceiling = 1;
  /** The virtual time: the start of what was given last. */
  let clock = 0;

  const isFull = () => taken >= limit(ceiling);
  const take = (run: SharingRun) => {
    clock = Math.max(clock, run.due);
    run.due = clock + 1 / run.weight;
    run.taken += 1;
    taken += 1;
  };
  const grant = () => {
    while (!isFull()) {
      const next = nextOf(runs);
      if (next === null) return;
      take(next);
      next.waiting.shift()?.(true);
    }
  };
  const measure = () => {
    ceiling = Math.max(1, ...[...runs].map((run) => run.ceiling));
  };

  return {
    taken: () => taken,
    isFull,
    ceiling: () => ceiling,
    join(terms) {
      const run: SharingRun = { ...terms, taken: 0, due: 0, waiting: createWaitingLine() };
      runs.add(run);
      measure();
      const goFirst = () => {
        if (run.due > 0 || run.waiting.length() === 0) return;
        take(run);
        run.waiting.shift()?.(true);
      };
      let first: NodeJS.Timeout | undefined;
      const giveUp = () => {
        clearTimeout(first);
        for (let next = run.waiting.shift(); next !== undefined; next = run.waiting.shift()) next(false);
      };
      return {
        taken: () => run.taken,
        free: () => Math.max(0, Math.min(run.ceiling - run.taken, limit(ceiling) - taken)),
        giveUp,
        tryTake() {
          if (run.taken >= run.ceiling || isFull()) return false;
          take(run);
          return true;
        },
        wait(granted, isFirst) {
          if (!runs.has(run)) return granted(false);
          if (isFirst) run.waiting.pushFirst(granted);
          else run.waiting.push(granted);
          if (run.due === 0) first ??= setTimeout(goFirst, firstWithinMs).unref();
          grant();
        },
        release() {
          run.taken -= 1;
          taken -= 1;
          grant();
        },
        leave() {
          giveUp();
          runs.delete(run);
          measure();
        },
      };
    },
  };
}

/** Of the runs that wait below their ceilings, the one that is to be served next. */
function nextOf(runs: ReadonlySet<SharingRun>): SharingRun | null {
  let next: SharingRun | null = null;
  for (const run of runs) {
    if (run.taken >= run.ceiling || run.waiting.length() === 0) continue;
    if (next === null || run.due < next.due) next = run;
  }
  return next;
}
