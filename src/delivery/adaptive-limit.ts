/**
 * How many requests a process may have in flight at a service that documents no limit. From 50 it
 * grows by a fifth per round trip until trouble (429, 503, 504, time-outs) cuts it; then ever
 * faster the longer there is none, by time in use: quick answers must not bring trouble more often.
 * Single failures don't cut it: some requests fail at any service.
 */

import type { Reply } from '../model/request.ts';
import { TIMED_OUT } from '../service/network-error.ts';

export type AdaptiveLimit = {
  current(ceiling: number): number;
  /** Call it with each reply while its permit is still taken. */
  hear(reply: Reply, inFlight: number, ceiling: number): void;
};

const START = 50;
/** The share left after trouble; `AGAIN`: after less than one untroubled round trip. */
const SHARE = 0.85;
const SHARE_AGAIN = 0.5;
/** This many refusals in a row, or more than a fifth of all, are no accident. */
const STRIKES = 4;
/** Requests per second cubed: the first more after 2 seconds, 5 after 4, 100 after 10. */
const GROWTH = 0.1;
/** Per answer: a fifth more in a round trip, or one more, however long that takes. */
const LARGEST_STEP = 0.2;

type Phase = {
  readonly from: number;
  readonly begunAt: number;
  limit: number;
  /** For how long the limit was used. */
  usedMs: number;
  strikes: number;
  borne: number;
  /** Since the limit last rose by one, or everybody had to wait. */
  borneAtThis: number;
};

/** `now`: ms of a monotonic clock. */
export function createAdaptiveLimit(now: () => number): AdaptiveLimit {
  let phase = phaseOf(START, Number.NEGATIVE_INFINITY);
  let heardAt = Number.NEGATIVE_INFINITY;
  /** Answers until the limit counts as not reached: requests may have begun together. */
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

  /** Requests from before the cut say nothing of the new limit, and report the same trouble. */
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

const OVERLOADED: ReadonlySet<number> = new Set([429, 503, 504]);

/** `none`: the fault lies elsewhere; a missing connection is the breaker's concern. */
function signalOf(reply: Reply): 'borne' | 'overloaded' | 'none' {
  if (reply.kind !== 'response') return reply.code === TIMED_OUT ? 'overloaded' : 'none';
  if (OVERLOADED.has(reply.status)) return 'overloaded';
  return reply.status >= 500 ? 'none' : 'borne';
}

/** All workers wait for a time that comes with 429: a mistake is expensive. */
function isNamed(reply: Reply): boolean {
  return reply.kind === 'response' && reply.status === 429 && (reply.retryAfterMs ?? 0) > 0;
}
