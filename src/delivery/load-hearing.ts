import type { Reply } from '../model/request.ts';
import type { AdaptiveLimit } from './adaptive-limit.ts';
import type { FairPlaces } from './fair-places.ts';
import type { LatencyTrend, Trend } from './latency-trend.ts';
import { loadSignal } from './load-signal.ts';

export type LoadHearingEdges = {
  readonly limit: AdaptiveLimit;
  readonly fair: Pick<FairPlaces, 'taken' | 'isFull' | 'ceiling'>;
  readonly trend: LatencyTrend;
  readonly now: () => number;
};

/** Tells the limit what a run's replies say of the service's load; to be called with each while its place is still taken. */
export function createLoadHearing({ limit, fair, trend, now }: LoadHearingEdges): (reply: Reply) => void {
  return (reply) => {
    const signal = loadSignal(reply);
    if (signal === 'none') return;
    // Spelled out: spreading an object that holds a fraction costs a microsecond, and this is done for each request.
    const heardAt = now();
    const tookMs = reply.ms;
    const inFlight = fair.taken();
    if (signal === 'overloaded') {
      limit.overloaded({
        now: heardAt,
        tookMs,
        inFlight,
        ceiling: fair.ceiling(),
        isNamed: isNamed(reply),
      });
      return;
    }
    const isFull = fair.isFull();
    limit.answered({ now: heardAt, tookMs, isUsed: isFull && !trend.isSlow(), ceiling: fair.ceiling() });
    if (signal !== 'carried-out') return;
    const told = trend.answered({ now: heardAt, tookMs, inFlight, isUsed: isFull });
    if (told !== null) tellLimit(limit, told, { now: heardAt, inFlight });
  };
}

/** A time that the service names with 429 is waited for by all workers. */
function isNamed(reply: Reply): boolean {
  return reply.kind === 'response' && reply.status === 429 && (reply.retryAfterMs ?? 0) > 0;
}

function tellLimit(
  limit: AdaptiveLimit,
  trend: Trend,
  { now, inFlight }: { readonly now: number; readonly inFlight: number },
): void {
  switch (trend.kind) {
    case 'steady':
      limit.steady();
      return;
    case 'slowed':
      limit.slowed({ now, inFlight, share: trend.share });
      return;
    case 'not-ours':
      limit.restored();
      return;
    default:
      trend satisfies never;
  }
}
