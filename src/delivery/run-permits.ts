/**
 * One run's requests in flight: a permit is held until the reply is there, and never while a row waits for anything else. There are no more than `send.concurrency`,
 * no more than the service bears, and the runs to one service share what there is.
 */

import type { Reserved } from '../ledger/chunk-ledger.ts';
import type { Reply } from '../model/request.ts';
import { createAdaptiveLimit } from './adaptive-limit.ts';
import { createFairPermits, type PermitShare, type PermitTerms } from './fair-permits.ts';
import { createLatencyTrend } from './latency-trend.ts';
import { createLoadHearing } from './load-signal.ts';
import { createRatePace, type RatePace } from './rate-pace.ts';

export type RunPermits = {
  /** Takes a permit at once where one is free; costs next to nothing. Never for a run with a rate. */
  tryTake(): boolean;
  /**
   * Resolves with a permit taken, for a run with a rate at its time; false: the run or the process ends.
   * `isFirst`: before the run's other rows, as a row that is tried again.
   */
  take(isFirst: boolean): Promise<boolean>;
  /** Calls with true when a permit is taken, for a run with a rate at its time; with false when the run or the process ends, or its times can't be had. */
  wait(granted: (isTaken: boolean) => void): void;
  /** How many permits the run could take right now. */
  free(): number;
  /** None is free although the run has fewer than it may have: others have them, or the service bears no more. */
  isContested(): boolean;
  /** Gives a permit back; the reply tells how the service bears the load, `null`: nothing was sent. */
  release(reply: Reply | null): void;
  /** Permits that the run has right now. */
  taken(): number;
  /** The run needs no more. */
  leave(): void;
};

/** What a process may have in flight at one service. */
export type ServicePermits = {
  join(run: RunPermitTerms): RunPermits;
  /** How many requests may be in flight now. */
  limit(): number;
};

export type RunPermitTerms = PermitTerms & {
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

type ServicePermitsEdges = {
  readonly now: () => number;
  /** The share of the time since it was last asked for which this process was at work; one for each run. */
  createBusy(): () => number;
};

export function createServicePermits({ now, createBusy }: ServicePermitsEdges): ServicePermits {
  const limit = createAdaptiveLimit();
  const fair = createFairPermits({ limit: limit.current });
  return {
    limit: () => limit.current(fair.ceiling()),
    join(run) {
      const share = fair.join(run);
      run.stopping.addEventListener('abort', share.giveUp, { once: true });
      if (run.stopping.aborted) share.giveUp();
      // Each run has a trend of its own: not every operation takes as long.
      const hear = createLoadHearing({ limit, fair, trend: createLatencyTrend(createBusy()), now });
      return { ...permitsOf(share, run, now), release: releaseOf(share, hear), ...leaveOf(share, run) };
    },
  };
}

function permitsOf(share: PermitShare, { rate, stopping, ceiling }: RunPermitTerms, now: () => number) {
  const take = async (isFirst: boolean) => {
    if (stopping.aborted) return false;
    return share.tryTake() || new Promise<boolean>((resolve) => share.wait(resolve, isFirst));
  };
  const { taken, free, tryTake, release } = share;
  const wait: RunPermits['wait'] = (granted) => share.wait(granted, false);
  const isContested = () => free() === 0 && taken() < ceiling;
  const seen = { free, taken, isContested };
  if (rate === null) return { tryTake, take, wait, ...seen };
  const pace: RatePace = createRatePace({ ...rate, now, permits: { take: () => take(true), release, free } });
  const waitForTime: RunPermits['wait'] = (granted) =>
    void pace.next(false).then(granted, () => granted(false));
  return { tryTake: () => false, take: pace.next, wait: waitForTime, ...seen };
}

function releaseOf(share: PermitShare, hear: (reply: Reply) => void): RunPermits['release'] {
  return (reply) => {
    if (reply !== null) hear(reply);
    share.release();
  };
}

function leaveOf(share: PermitShare, { stopping }: RunPermitTerms) {
  return {
    leave() {
      stopping.removeEventListener('abort', share.giveUp);
      share.leave();
    },
  };
}
