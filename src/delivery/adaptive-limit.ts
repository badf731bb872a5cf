/**
 * How many requests a process may have in flight at a service that documents no limit. The limit
 * begins at 50 and grows by a fifth with each round trip while there is no trouble (429, 503, 504,
 * time-outs). It falls at trouble and grows again the faster the longer there is none: slowly at
 * first, since the one request too many may have everybody wait for seconds; and with the time for
 * which it is used, not with the answers, so that quick answers don't bring trouble more often. At
 * any service some requests fail for reasons of their own: a limit that fell at each of those would
 * end at one.
 */

import type { Reply } from '../model/request.ts';
import { TIMED_OUT } from '../service/network-error.ts';

export type AdaptiveLimit = {
  /** A whole number from 1 up to the ceiling. */
  current(ceiling: number): number;
  /** To be told of each reply while its permit is still taken. */
  hear(reply: Reply, inFlight: number, ceiling: number): void;
};

const START = 50;
/** What is left of the limit after trouble; `AGAIN`: where not even one round trip was without since the last cut, it is far too high. */
const SHARE = 0.85;
const SHARE_AGAIN = 0.5;
/** So many refusals with none between that was borne, or more than a fifth of all, are no accident. */
const STRIKES = 4;
/** Requests per second cubed: the first more after 2 seconds, 5 after 4, 100 after 10. */
const GROWTH = 0.1;
/** Per answer: a fifth more in a round trip, or one more, however long that takes; what it did is seen no sooner. */
const LARGEST_STEP = 0.2;

/** From one cut to the next. */
type Phase = {
  readonly from: number;
  readonly begunAt: number;
  limit: number;
  /** For how long the limit was used. */
  usedMs: number;
  strikes: number;
  borne: number;
  /** Since the limit last rose by one, and since everybody had to wait. */
  borneAtThis: number;
};

/** `now`: ms, of a clock that only goes on. */
export function createAdaptiveLimit(now: () => number): AdaptiveLimit {
  let phase = phaseOf(START, Number.NEGATIVE_INFINITY);
  let heardAt = Number.NEGATIVE_INFINITY;
  /** Answers until the limit counts as not reached: of requests that were begun together the others may have been answered by now. */
  let reached = 0;

  const current = (ceiling: number) => Math.max(1, Math.floor(Math.min(phase.limit, ceiling)));
  const cut = (to: number) => {
    phase = phaseOf(Math.max(1, Math.min(phase.limit, to)), heardAt);
  };
  const refused = (level: number, isNamed: boolean) => {
    phase.strikes += 1;
    const isAccident = !isNamed || phase.borneAtThis >= level;
    if (isNamed) phase.borneAtThis = 0;
    if (phase.strikes >= STRIKES || !isAccident) cut(level * (phase.borne >= level ? SHARE : SHARE_AGAIN));
  };
  const borne = (usedMs: number, ceiling: number) => {
    phase.strikes = Math.max(0, phase.strikes - 1 / STRIKES);
    phase.borne += 1;
    phase.borneAtThis += 1;
    if (reached <= 0 || phase.limit >= ceiling) return;
    phase.usedMs += usedMs;
    const { from, limit, begunAt } = phase;
    const isUntroubled = begunAt === Number.NEGATIVE_INFINITY;
    const most = isUntroubled ? ceiling : from + GROWTH * (phase.usedMs / 1000) ** 3;
    phase.limit = Math.min(limit + Math.max(LARGEST_STEP, 1 / limit), most, ceiling);
    if (Math.floor(phase.limit) > Math.floor(limit)) phase.borneAtThis = 0;
  };

  /** What was begun before the cut says nothing of the limit that is in force, and tells of the same trouble. */
  const weigh = (reply: Reply, isOverloaded: boolean, inFlight: number, ceiling: number) => {
    const usedMs = Math.min(now() - heardAt, reply.ms);
    heardAt = now();
    if (heardAt - reply.ms < phase.begunAt) return;
    if (isOverloaded) refused(reached > 0 ? current(ceiling) : inFlight, isNamed(reply));
    else borne(usedMs, ceiling);
  };

  return {
    current,
    hear(reply, inFlight, ceiling) {
      const signal = signalOf(reply);
      if (signal === 'none') return;
      const most = current(ceiling);
      reached = inFlight >= most ? most : reached - 1;
      weigh(reply, signal === 'overloaded', inFlight, ceiling);
    },
  };
}

function phaseOf(limit: number, begunAt: number): Phase {
  return { from: limit, begunAt, limit, usedMs: 0, strikes: 0, borne: 0, borneAtThis: 0 };
}

/** Too many requests; unavailable; a gateway's time-out. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 503, 504]);

/**
 * What a reply says of the number of requests in flight. `none`: the fault is somewhere else, and a
 * connection that doesn't come about is the breaker's concern.
 */
function signalOf(reply: Reply): 'borne' | 'overloaded' | 'none' {
  if (reply.kind !== 'response') return reply.code === TIMED_OUT ? 'overloaded' : 'none';
  if (OVERLOADED.has(reply.status)) return 'overloaded';
  return reply.status >= 500 ? 'none' : 'borne';
}

/** A time that the service names with 429 is waited for by all workers: a mistake is dear. */
function isNamed(reply: Reply): boolean {
  return reply.kind === 'response' && reply.status === 429 && (reply.retryAfterMs ?? 0) > 0;
}
