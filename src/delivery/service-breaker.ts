/**
 * What this process knows of a service beside the shared breaker: whether a row failed, or the
 * service is away. Any definite answer, a refusal too, is a success.
 */

import type { SharedBreaker } from '../engine/ledger/breaker.ts';

export type ServiceBreaker = {
  /** A definite answer came; `tookMs`: how long the request took. */
  succeeded(tookMs: number): void;
  /** A row was accepted; `wasLimited`: after a limit had turned it away. */
  accepted(wasLimited: boolean): void;
  /** A limit turned away a row that it had not met before. */
  limited(): void;
  passage(): Passage;
  /** An attempt ended without a definite answer; passes it on to the shared breaker. */
  failed(failure: AttemptFailure): Promise<void>;
  answeredSince(time: number): boolean;
  /** Whether a request that began since `time` (ms) got a definite answer. */
  getsThroughSince(time: number): boolean;
  /** Ms since any worker's first failure with no answer after it. */
  awayFor(): number;
  /** The longest wait for the service, ms; shorter while a followed run never reached it. */
  patienceMs(): number;
};

/** What this process has seen of rows that pass, and of limits that concern more than one row. */
export type Passage = {
  readonly accepted: number;
  /** Rows that met their first limit, and rows that got through after one. */
  readonly signs: number;
};

export type AttemptFailure = {
  readonly mark: string;
  /** HTTP status, `null` where none came. */
  readonly status: number | null;
  /** What the service asked for, ms; `null`: nothing. */
  readonly afterMs: number | null;
  readonly isReached: boolean;
  /** Without personal data. */
  readonly cause: string;
};

/** The service is there, and answers this caller. */
const UNAUTHORIZED = 401;
/** A 403 comes here only as a limit. */
const LIMITS: ReadonlySet<number | null> = new Set([403, 429]);
/** Somebody waits: an address that was never reached is more likely wrong than away. */
const UNREACHED_MS = 30_000;

export type Reach = { isReached: boolean };

export function createServiceBreaker(
  now: () => number,
  shared: Pick<SharedBreaker, 'failed'>,
  awayMs: number,
  isFollowed = false,
  reach: Reach = { isReached: false },
): ServiceBreaker {
  // An earlier outage is no news: a run that goes on looks for itself.
  const begunAt = now();
  let lastAnswer = Number.NEGATIVE_INFINITY;
  let lastThrough = Number.NEGATIVE_INFINITY;
  let awaySince: number | null = null;
  let accepted = 0;
  let signs = 0;
  return {
    succeeded(tookMs) {
      reach.isReached = true;
      lastAnswer = now();
      lastThrough = Math.max(lastThrough, lastAnswer - tookMs);
      awaySince = null;
    },
    accepted(wasLimited) {
      accepted += 1;
      if (wasLimited) signs += 1;
    },
    limited() {
      signs += 1;
    },
    passage: () => ({ accepted, signs }),
    async failed({ mark, status, afterMs, isReached, cause }) {
      const asked = now();
      reach.isReached ||= isReached;
      // A limit on the caller concerns all rows of all workers: the service is there.
      const isLimit = LIMITS.has(status);
      // Other answers name a time for their row alone, unless it is beyond patience.
      const isHold = isLimit || (afterMs ?? 0) > awayMs;
      const away = await shared.failed({
        mark,
        isFailure: !isLimit && status !== UNAUTHORIZED,
        holdMs: isHold ? (afterMs ?? 0) : 0,
        cause,
      });
      // An answer that came meanwhile is newer.
      if (lastAnswer < asked) awaySince = Math.max(now() - away, begunAt);
    },
    answeredSince: (time) => lastAnswer >= time,
    getsThroughSince: (time) => lastThrough >= time,
    awayFor: () => (awaySince === null ? 0 : now() - awaySince),
    patienceMs() {
      const isUnreached = isFollowed && !reach.isReached;
      return isUnreached ? Math.min(awayMs, UNREACHED_MS) : awayMs;
    },
  };
}
