/**
 * How many requests a process may have in flight at a service that documents no limit. From 50 it
 * grows by a fifth per round trip until trouble (a limit, 503, 504, time-outs) halves it; then by a
 * constant number per second of use: quick answers must not bring trouble more often. Single
 * failures don't cut it: some requests fail at any service.
 */

import type { Reply } from '../model/request.ts';
import { TIMED_OUT } from './service/network-error.ts';

export type AdaptiveLimit = {
  current(ceiling: number): number;
  /** Call it with each reply while its permit is still taken. */
  hear(reply: Reply, inFlight: number, ceiling: number): void;
};

const START = 50;
/** This many refusals in a row, or more than a fifth of all, are no accident. */
const STRIKES = 4;
const FIRST_GROWTH = 0.2;
const GROWTH_PER_MS = 0.004;

export function createAdaptiveLimit(now: () => number): AdaptiveLimit {
  let limit = START;
  let cutAt = Number.NEGATIVE_INFINITY;
  let heardAt = Number.NEGATIVE_INFINITY;
  let strikes = 0;
  /** Since everybody last had to wait. */
  let borne = 0;
  /** Answers until the limit counts as not reached: requests may have begun together. */
  let reached = 0;

  const current = (ceiling: number) => Math.max(1, Math.floor(Math.min(limit, ceiling)));
  const refuse = (reply: Reply, most: number) => {
    const isNamed = limitMs(reply) > 0;
    // All workers wait for a time that comes with a limit: a mistake is expensive.
    strikes += isNamed && borne < most ? STRIKES : 1;
    if (isNamed) borne = 0;
    if (strikes < STRIKES) return;
    limit = Math.max(1, Math.min(limit, most) / 2);
    cutAt = heardAt;
    strikes = 0;
    borne = 0;
  };
  const bear = (usedMs: number, ceiling: number) => {
    strikes = Math.max(0, strikes - 1 / STRIKES);
    borne += 1;
    if (reached <= 0 || limit >= ceiling) return;
    const isUntroubled = cutAt === Number.NEGATIVE_INFINITY;
    limit = Math.min(ceiling, limit + (isUntroubled ? FIRST_GROWTH : usedMs * GROWTH_PER_MS));
  };

  return {
    current,
    hear(reply, inFlight, ceiling) {
      const signal = signalOf(reply);
      if (signal === 'none') return;
      const most = current(ceiling);
      const usedMs = Math.min(now() - heardAt, reply.ms);
      heardAt = now();
      reached = inFlight >= most ? most : reached - 1;
      // Requests from before the cut say nothing of the new limit, and report the same trouble.
      if (heardAt - reply.ms < cutAt) return;
      if (signal === 'overloaded') refuse(reply, reached > 0 ? most : inFlight);
      else bear(usedMs, ceiling);
    },
  };
}

const OVERLOADED: ReadonlySet<number> = new Set([503, 504]);

/** `none`: the fault lies elsewhere; a missing connection is the breaker's concern. */
function signalOf(reply: Reply): 'borne' | 'overloaded' | 'none' {
  if (limitMs(reply) >= 0) return 'overloaded';
  if (reply.kind !== 'response') return reply.code === TIMED_OUT ? 'overloaded' : 'none';
  if (OVERLOADED.has(reply.status)) return 'overloaded';
  return reply.status >= 500 ? 'none' : 'borne';
}

/** Negative: the answer is no limit. A 403 is one only where it names a time. */
function limitMs(reply: Reply): number {
  if (reply.kind === 'no-response') return -1;
  if (reply.status === 429) return reply.retryAfterMs ?? 0;
  return reply.status === 403 ? (reply.retryAfterMs ?? -1) : -1;
}
