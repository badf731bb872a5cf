import type { Reserved } from '../ledger/chunk-ledger.ts';
import type { Reply } from '../model/request.ts';
import { createAdaptiveLimit } from './adaptive-limit.ts';
import { createFairPlaces, type Share, type Terms } from './fair-places.ts';
import { createLatencyTrend } from './latency-trend.ts';
import { createLoadHearing } from './load-signal.ts';
import { createRatePace, type RatePace } from './rate-pace.ts';

/**
 * One run's requests in flight: a place is held until the reply is there, and never while a row waits for anything else. There are no more than `send.concurrency`,
 * no more than the service bears, and the runs to one service share what there is.
 */
export type RunPlaces = {
  /** Takes a place at once where one is free; costs next to nothing. Never for a run with a rate. */
  tryTake(): boolean;
  /**
   * Resolves with a place taken, for a run with a rate at its time; false: the run or the process ends.
   * `isFirst`: before the run's other rows, as a row that is tried again.
   */
  take(isFirst: boolean): Promise<boolean>;
  /** Calls with true when a place is taken, with false when the run or the process ends. Not for a run with a rate. */
  wait(granted: (isTaken: boolean) => void): void;
  /** How many places the run could take right now. */
  free(): number;
  /** None is free although the run has fewer than it may have: others have them, or the service bears no more. */
  isContested(): boolean;
  /** Gives a place back; the reply tells how the service bears the load, `null`: nothing was sent. */
  release(reply: Reply | null): void;
  /** Places that the run has right now. */
  taken(): number;
  /** The run needs no more. */
  leave(): void;
};

/** What a process may have in flight at one service. */
export type ServicePlaces = {
  join(run: RunTerms): RunPlaces;
  /** How many requests may be in flight now. */
  limit(): number;
};

export type RunTerms = Terms & {
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
};

export type ServicePlacesEdges = {
  readonly now: () => number;
  /** The share of the time since it was last asked for which this process was at work; one for each run. */
  createBusy(): () => number;
};

export function createServicePlaces({ now, createBusy }: ServicePlacesEdges): ServicePlaces {
  const limit = createAdaptiveLimit();
  const fair = createFairPlaces({ limit: limit.current });
  return {
    limit: () => limit.current(fair.ceiling()),
    join(run) {
      const share = fair.join(run);
      run.stopping.addEventListener('abort', share.giveUp, { once: true });
      if (run.stopping.aborted) share.giveUp();
      // Each run has a trend of its own: not every operation takes as long.
      const hear = createLoadHearing({ limit, fair, trend: createLatencyTrend(createBusy()), now });
      return { ...placesOf(share, run, now), release: releaseOf(share, hear), ...leaveOf(share, run) };
    },
  };
}

function placesOf(share: Share, { rate, stopping, ceiling }: RunTerms, now: () => number) {
  const take = async (isFirst: boolean) => {
    if (stopping.aborted) return false;
    return share.tryTake() || new Promise<boolean>((resolve) => share.wait(resolve, isFirst));
  };
  const { taken, free, tryTake, release } = share;
  const wait: RunPlaces['wait'] = (granted) => share.wait(granted, false);
  const isContested = () => free() === 0 && taken() < ceiling;
  const seen = { free, taken, isContested };
  if (rate === null) return { tryTake, take, wait, ...seen };
  const pace: RatePace = createRatePace({ ...rate, now, places: { take: () => take(true), release, free } });
  return { tryTake: () => false, take: pace.next, wait, ...seen };
}

function releaseOf(share: Share, hear: (reply: Reply) => void): RunPlaces['release'] {
  return (reply) => {
    if (reply !== null) hear(reply);
    share.release();
  };
}

function leaveOf(share: Share, { stopping }: RunTerms) {
  return {
    leave() {
      stopping.removeEventListener('abort', share.giveUp);
      share.leave();
    },
  };
}
