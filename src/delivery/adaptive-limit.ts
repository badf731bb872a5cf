/**
 * How many requests a process may have in flight at a service that documents no limit. The limit begins at 50 and doubles while answers are
 * seen to take no longer. It falls at trouble (429, 503, 504, time-outs, answers that take longer the more are in flight) and grows again
 * the faster the longer there is none: slowly at first, since the one request too many may have everybody wait for seconds; and with the
 * time for which it is used, not with the answers, so that quick answers don't bring trouble more often. At any service some requests
 * fail, and some answers take long, for reasons of their own: a limit that fell at each of those would end at one.
 */

import type { Reply } from '../model/request.ts';
import { TIMED_OUT } from '../service/network-error.ts';

export type AdaptiveLimit = {
  /** A whole number from 1 up to the ceiling. */
  current(ceiling: number): number;
  /**
   * One for each run, since not every operation takes as long: to be told of each reply while its permit is still taken. `busy`: the share
   * of the time since it was last asked for which this process was at work.
   */
  createHearing(busy: () => number): (reply: Reply, inFlight: number, ceiling: number) => void;
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
/** No cut goes below this for longer answers: they are a weak sign, and a few requests no great load. */
const LEAST_IF_SLOWED = 8;

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
  let slowed = phase;
  let beforeSlowed = phase;
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
    if (isFirst(phase) || reached <= 0 || phase.limit >= ceiling) return;
    phase.usedMs += usedMs;
    const { from, limit } = phase;
    const most = Math.min(from + GROWTH * (phase.usedMs / 1000) ** 3, ceiling);
    phase.limit = Math.min(limit + Math.max(LARGEST_STEP, 1 / limit), most);
    if (Math.floor(phase.limit) > Math.floor(limit)) phase.borneAtThis = 0;
  };
  const heed = (trend: Trend, level: number, ceiling: number) => {
    if (trend === 'steady') {
      if (isFirst(phase) && reached > 0)
        phase.limit = Math.max(phase.limit, Math.min(2 * phase.limit, ceiling));
    } else if (trend === 'not-ours') {
      // Unless there was other trouble since.
      if (phase === slowed) phase = beforeSlowed;
    } else {
      beforeSlowed = phase;
      cut(Math.max(Math.min(level, LEAST_IF_SLOWED), level * trend));
      slowed = phase;
    }
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
    createHearing(busy) {
      const trendOf = createLatencyTrend(busy);
      return (reply, inFlight, ceiling) => {
        const signal = loadSignal(reply);
        if (signal === 'none') return;
        const most = current(ceiling);
        reached = inFlight >= most ? most : reached - 1;
        weigh(reply, signal === 'overloaded', inFlight, ceiling);
        if (signal !== 'carried-out') return;
        const trend = trendOf(heardAt, reply.ms, inFlight >= most && inFlight > 1);
        if (trend !== null) heed(trend, Math.min(inFlight, most), ceiling);
      };
    },
  };
}

function phaseOf(limit: number, begunAt: number): Phase {
  return { from: limit, begunAt, limit, usedMs: 0, strikes: 0, borne: 0, borneAtThis: 0 };
}

/** There was no trouble yet. */
function isFirst({ begunAt }: Phase): boolean {
  return begunAt === Number.NEGATIVE_INFINITY;
}

/**
 * What a reply says of the number of requests in flight. `carried-out`: the service did what it was asked to, how long that took tells
 * something too; `borne`: it was refused for what it asks, which may be quick; `overloaded`: the service had more requests than it bears;
 * `none`: the fault is somewhere else, and a connection that doesn't come about is the breaker's concern.
 */
export type LoadSignal = 'carried-out' | 'borne' | 'overloaded' | 'none';

/** Too many requests; unavailable; a gateway's time-out. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 503, 504]);

/** Reads a reply as a sign of the service's load. */
export function loadSignal(reply: Reply): LoadSignal {
  if (reply.kind !== 'response') return reply.code === TIMED_OUT ? 'overloaded' : 'none';
  const { status } = reply;
  if (OVERLOADED.has(status)) return 'overloaded';
  if (status >= 500) return 'none';
  return status < 300 ? 'carried-out' : 'borne';
}

/** A time that the service names with 429 is waited for by all workers: a mistake is dear. */
function isNamed(reply: Reply): boolean {
  return reply.kind === 'response' && reply.status === 429 && (reply.retryAfterMs ?? 0) > 0;
}

/**
 * `steady`: answers take as long as usual; a number: they take longer, and that share of the requests in flight would be answered as quickly
 * as before; `not-ours`: fewer requests did not make answers any quicker, the service has become slower by itself.
 */
type Trend = 'steady' | 'not-ours' | number;

/** Answers that are slow for a shorter time may be so by accident. */
const WINDOW_MS = 750;
const WINDOW_SAMPLES = 32;
/** The first requests come to an idle service: so many of their answers tell the usual duration at first. */
const FIRST_SAMPLES = 8;
/** So that a moment in which this process stood still, with many answers coming at its end, is one of many. */
const SLOT_MS = 8;
const SLOT_SAMPLES = 4;
/** A smaller difference is no sign of a slow service: durations vary, and milliseconds come and go with this machine. */
const TOLERANCE = 1.5;
const SLACK_MS = 20;
const LEAST_SHARE = 0.25;
/** The part of the computed share that is used, so that what has piled up at the service is worked off. */
const HEADROOM = 0.9;
/** A process that was at work for a larger share of a window is late itself, and can't tell whether the service is. */
const BUSY = 0.85;

/** To be told of each request of a run that was carried out, and whether with fewer in flight there would be fewer; `null`: nothing new. */
type LatencyTrend = (at: number, tookMs: number, isFull: boolean) => Trend | null;

/** Compares what a run's answers take now with what is usual. */
function createLatencyTrend(busy: () => number): LatencyTrend {
  let samples: number[] = [];
  let since = Number.NEGATIVE_INFINITY;
  let slot = 0;
  let inSlot = 0;
  let wasFull = false;
  let usualMs = 0;
  /** After a cut: answers that take longer than this say that the cut did not help. */
  let hopedMs = 0;

  const judge = (ms: number, mayBeOurs: boolean): Trend => {
    const hoped = hopedMs;
    hopedMs = 0;
    if (ms <= (hoped > 0 ? hoped : TOLERANCE * usualMs + SLACK_MS)) {
      usualMs = Math.min(usualMs, (usualMs + ms) / 2);
      return 'steady';
    }
    const share = Math.max(LEAST_SHARE, (HEADROOM * usualMs) / ms);
    if (hoped === 0 && mayBeOurs) {
      hopedMs = (ms * (1 + share)) / 2;
      return share;
    }
    usualMs = ms;
    return hoped > 0 ? 'not-ours' : 'steady';
  };
  const isSample = (at: number, tookMs: number): boolean => {
    // What was begun before, perhaps under another limit, says nothing of this one.
    if (at - tookMs < since) return false;
    inSlot = Math.floor(at / SLOT_MS) === slot ? inSlot + 1 : 1;
    slot = Math.floor(at / SLOT_MS);
    return inSlot <= SLOT_SAMPLES;
  };
  return (at, tookMs, isFull) => {
    wasFull ||= isFull;
    if (!isSample(at, tookMs)) return null;
    samples.push(tookMs);
    const isFirst = usualMs === 0;
    if (samples.length < (isFirst ? FIRST_SAMPLES : WINDOW_SAMPLES) || at - since < WINDOW_MS) return null;
    const sorted = samples.toSorted((a, b) => a - b);
    // Answers that were held up on the way, or in this process, don't move the lower quartile.
    const ms = sorted[Math.floor(sorted.length / 4)] ?? 0;
    const mayBeOurs = wasFull;
    samples = [];
    [since, wasFull] = [at, false];
    if (busy() > BUSY) return null;
    if (!isFirst) return judge(ms, mayBeOurs);
    usualMs = ms;
    return null;
  };
}
