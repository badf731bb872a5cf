/**
 * What this process knows of a service beside the breaker that all workers share: whether its requests are answered, and since when none
 * is. The retry policy decides by that whether a row has failed or the service is away. Any definite answer, a refusal too, is a success.
 */

import type { SharedBreaker } from '../ledger/breaker.ts';

export type ServiceBreaker = {
  /** A definite answer came, to a request that took so long (ms). */
  succeeded(tookMs: number): void;
  /** An attempt ended without a definite answer, in a way that may pass; the shared breaker is told. */
  failed(failure: AttemptFailure): Promise<void>;
  /** Whether a definite answer came to this process since the given time (ms). */
  answeredSince(time: number): boolean;
  /** Whether a request that was begun since the given time (ms) got a definite answer. */
  getsThroughSince(time: number): boolean;
  /** Milliseconds since any worker's first failure that no answer has followed; 0: the latest news is an answer. */
  awayFor(): number;
  /** The longest that the run waits for the service, ms: shorter for an attended run while nothing was ever reached at the address. */
  patienceMs(): number;
};

/** An attempt without a definite answer. */
export type AttemptFailure = {
  /** The attempt's intent. */
  readonly mark: string;
  /** HTTP status, `null` where none came. */
  readonly status: number | null;
  /** What the service asked for, ms; `null`: nothing. */
  readonly afterMs: number | null;
  /** A connection came about, so that something is at the address. */
  readonly isReached: boolean;
  /** Why there was no definite answer, in words without personal data. */
  readonly cause: string;
};

/** The service is there, and says so to this caller. */
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
/** With a person at the terminal an address at which nothing was ever reached is more likely wrong than away. */
const UNREACHED_MS = 30_000;

/** What is known of a target's address, shared by all runs of a process. */
export type Reach = { isReached: boolean };

export function createServiceBreaker(
  now: () => number,
  shared: Pick<SharedBreaker, 'failed'>,
  /** The longest that the run waits for the service, ms. */
  awayMs: number,
  /** A person follows the run at a terminal. */
  isAttended = false,
  reach: Reach = { isReached: false },
): ServiceBreaker {
  // An outage that nobody has been through since is no news: a run that goes on looks for itself.
  const begunAt = now();
  let lastAnswer = Number.NEGATIVE_INFINITY;
  let lastThrough = Number.NEGATIVE_INFINITY;
  let awaySince: number | null = null;
  return {
    succeeded(tookMs) {
      reach.isReached = true;
      lastAnswer = now();
      lastThrough = Math.max(lastThrough, lastAnswer - tookMs);
      awaySince = null;
    },
    async failed({ mark, status, afterMs, isReached, cause }) {
      const asked = now();
      reach.isReached ||= isReached;
      // A limit on the caller concerns every row of every worker; it says that the service is there.
      const isLimit = status === TOO_MANY_REQUESTS;
      // Any other answer names a time for its row alone, unless that is too long to be waited for.
      const isHold = isLimit || (afterMs ?? 0) > awayMs;
      const away = await shared.failed({
        mark,
        isFailure: !isLimit && status !== UNAUTHORIZED,
        holdMs: isHold ? (afterMs ?? 0) : 0,
        cause,
      });
      // An answer that came meanwhile is the newer news.
      if (lastAnswer < asked) awaySince = Math.max(now() - away, begunAt);
    },
    answeredSince: (time) => lastAnswer >= time,
    getsThroughSince: (time) => lastThrough >= time,
    awayFor: () => (awaySince === null ? 0 : now() - awaySince),
    patienceMs: () => (isAttended && !reach.isReached ? Math.min(awayMs, UNREACHED_MS) : awayMs),
  };
}
