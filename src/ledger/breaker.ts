import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { LedgerKeys } from './keys.ts';
import { STUMBLE } from './lua/breaker.ts';
import { script } from './script.ts';

/** This many failures in a row, over all workers, and everybody waits. */
const FAILURES_IN_A_ROW = 10;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** How a service is doing, over all workers of its target. */
export type SharedWeather = {
  /**
   * An attempt ended without a definite answer. `isFailure`: it speaks against the service; `holdMs`: the service wants to be left
   * alone that long by everybody. Answers milliseconds since the last definite answer.
   */
  stumbled(attempt: {
    readonly mark: string;
    readonly isFailure: boolean;
    readonly holdMs: number;
    /** Why there was none, in words without personal data. */
    readonly cause: string;
  }): Promise<number>;
  read(): Promise<WeatherReport>;
};

export type WeatherReport = {
  /** `away`: one row probes at a time, the others wait. `held`: the service asked to be left alone. */
  readonly state: 'well' | 'failing' | 'away' | 'held';
  readonly failuresInARow: number;
  /** Why the last of them failed, in words; `null` where none has, or an earlier version of a worker said nothing. */
  readonly cause: string | null;
  /** Since when no definite answer came, ISO 8601, `null` in good weather. */
  readonly since: string | null;
  /** A row is on its way that finds out whether the service is back. */
  readonly isProbing: boolean;
  /** When the next row may go, ISO 8601, `null`: now. */
  readonly nextAt: string | null;
};

const stumble = script(STUMBLE, z.coerce.number());

export function createSharedWeather(redis: RedisConnection, keys: LedgerKeys): SharedWeather {
  return {
    stumbled: ({ mark, isFailure, holdMs, cause }) => {
      const limits = [FAILURES_IN_A_ROW, SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS];
      return stumble(redis, [keys.weather], [mark, isFailure ? 1 : 0, ...limits, Math.ceil(holdMs), cause]);
    },
    read: async () => reportOf(await redis.hgetall(keys.weather), Date.now()),
  };
}

function reportOf(fields: Readonly<Record<string, string>>, now: number): WeatherReport {
  const number = (name: string) => Number(fields[name] ?? 0);
  const isAway = fields.until !== undefined;
  const isHeld = number('hold') > now;
  const isFailing = fields.since !== undefined && number('failures') > 0;
  const nextAt = Math.max(number('until'), number('hold'), number('probing'));
  return {
    state: isAway ? 'away' : isHeld ? 'held' : isFailing ? 'failing' : 'well',
    failuresInARow: number('failures'),
    cause: number('failures') > 0 ? (fields.cause ?? null) : null,
    since: fields.since === undefined ? null : new Date(number('since')).toISOString(),
    isProbing: number('probing') > now,
    nextAt: nextAt > now ? new Date(nextAt).toISOString() : null,
  };
}
