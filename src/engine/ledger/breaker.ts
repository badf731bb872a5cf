/**
 * The circuit breaker of a service, shared by all workers of a target. Closed: rows go out. Ten
 * failures in a row open it for a pause that doubles with each failed probe. Half-open: one row
 * probes, the others wait, and a definite answer to the probe closes it. A hold is a pause that the
 * service itself asked for. EXCHANGE asks the breaker before each row, so no worker can pass it.
 */

import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { ServiceState } from '../../model/story.ts';
import type { LedgerKeys } from './keys.ts';
import FAILURE from './lua/failure.lua';
import { script } from './script.ts';

/** Over all workers. */
const FAILURES_IN_A_ROW = 10;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

type Failed = {
  readonly mark: string;
  /** It counts towards opening the breaker. */
  readonly isFailure: boolean;
  /** The service asks all workers for a hold of that length. */
  readonly holdMs: number;
  /** Without personal data. */
  readonly cause: string;
};

export type SharedBreaker = ReturnType<typeof createSharedBreaker>;

export type BreakerReport = {
  /**
   * `well`, `failing`: closed; `away`: open or half-open; `held`: the service asked for a hold;
   * `refused`: another token is waited for.
   */
  readonly state: ServiceState;
  readonly failuresInARow: number;
  /** `null`: the latest attempt did not fail. */
  readonly cause: string | null;
  readonly since: string | null;
  /** When the latest failure was; `null`: the latest attempt did not fail. */
  readonly failedAt: string | null;
  /** Half-open: a row is probing. */
  readonly isProbing: boolean;
  /** ISO 8601; `null`: now. */
  readonly nextAt: string | null;
  /** ISO 8601; `null`: no hold. */
  readonly heldUntil: string | null;
  /** ISO 8601; `null`: no other token is waited for. */
  readonly tokenUntil: string | null;
};

const recordFailure = script(FAILURE, z.coerce.number());

export function createSharedBreaker(redis: RedisConnection, keys: LedgerKeys) {
  return {
    /**
     * Records an attempt without a definite answer; answers the ms since the last definite one.
     */
    failed({ mark, isFailure, holdMs, cause }: Failed): Promise<number> {
      const limits = [FAILURES_IN_A_ROW, SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS];
      const args = [mark, isFailure ? 1 : 0, ...limits, Math.ceil(holdMs), cause];
      return recordFailure(redis, [keys.breaker], args);
    },
    /** Said to everybody who looks, and nothing more. */
    async awaitToken(ms: number): Promise<void> {
      await redis.hset(keys.breaker, 'token', Date.now() + ms);
    },
    async endTokenWait(): Promise<void> {
      await redis.hdel(keys.breaker, 'token');
    },
    /** One row goes at once, the others when it was answered. */
    async tryOne(cause: string): Promise<void> {
      const [seconds] = await redis.time();
      const isNew = (await redis.hset(keys.breaker, 'until', 1)) === 1;
      const fields = { since: Number(seconds) * 1000, cause };
      if (isNew) await redis.hset(keys.breaker, fields);
    },
    /** Where the breaker is open, a row tries now, not at the end of its pause. */
    async tryNow(): Promise<void> {
      const { breaker } = keys;
      if ((await redis.hexists(breaker, 'until')) === 1) await redis.hset(breaker, 'until', 1);
    },
    read: async () => reportOf(await redis.hgetall(keys.breaker), Date.now()),
    async liftHold(): Promise<void> {
      await redis.hdel(keys.breaker, 'hold');
    },
  };
}

function reportOf(fields: Readonly<Record<string, string>>, now: number): BreakerReport {
  const number = (name: string) => Number(fields[name] ?? 0);
  const isAway = fields.until !== undefined;
  const isHeld = number('hold') > now;
  const isRefused = number('token') > now;
  const isFailing = fields.since !== undefined && number('failures') > 0;
  const nextAt = Math.max(number('until'), number('hold'), number('probing'));
  return {
    state: stateOf({
      away: isAway,
      held: isHeld,
      refused: isRefused,
      failing: isFailing,
    }),
    failuresInARow: number('failures'),
    cause: number('failures') > 0 || isAway ? (fields.cause ?? null) : null,
    since: fields.since === undefined ? null : new Date(number('since')).toISOString(),
    failedAt: isFailing && fields.failed !== undefined ? new Date(number('failed')).toISOString() : null,
    isProbing: number('probing') > now,
    nextAt: nextAt > now ? new Date(nextAt).toISOString() : null,
    heldUntil: isHeld ? new Date(number('hold')).toISOString() : null,
    tokenUntil: isRefused ? new Date(number('token')).toISOString() : null,
  };
}

/** The first that holds. */
function stateOf(holds: Partial<Record<ServiceState, boolean>>): ServiceState {
  const order = ['away', 'held', 'refused', 'failing'] as const;
  return order.find((state) => holds[state] === true) ?? 'well';
}
