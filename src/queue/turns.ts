import type { RedisConnection } from '../lib/redis-connection.ts';
import { FIRST_TURN, isFar, turnAfresh } from './chunk-turn.ts';

/** BullMQ keeps waiting jobs in a sorted set by priority times this, plus a counter that keeps those of one priority in order. */
const PRIORITY_UNIT = 2 ** 32;

/** How far a queue has come with the turns of its chunks. */
export type Turns = {
  /** The turn of the chunk that is taken next. */
  now(): Promise<number>;
};

/** `key`: the sorted set of BullMQ's waiting jobs that have a priority. */
export function createTurns(redis: RedisConnection, key: string): Turns {
  const countAfresh = async (first: number) => {
    const waiting = scored(await redis.zrange(key, 0, '-1', 'WITHSCORES'));
    const moved = waiting.flatMap(({ id, score }) => [
      turnAfresh(turnOfScore(score), first) * PRIORITY_UNIT + (score % PRIORITY_UNIT),
      id,
    ]);
    // Only downwards, and only what still waits: two that do this at once do it once.
    if (moved.length > 0) await redis.zadd(key, 'XX', 'LT', ...moved);
  };
  const now = async (): Promise<number> => {
    const [[first], [last]] = await Promise.all([
      redis.zrange(key, 0, '0', 'WITHSCORES').then(scored),
      redis.zrange(key, -1, '-1', 'WITHSCORES').then(scored),
    ]);
    if (first === undefined || last === undefined) return FIRST_TURN;
    if (!isFar(turnOfScore(last.score))) return turnOfScore(first.score);
    await countAfresh(turnOfScore(first.score));
    return FIRST_TURN;
  };
  return { now };
}

export type Scored = { readonly id: string; readonly score: number };

/** Members with their scores, from Redis' flat list of both. */
export function scored(flat: readonly string[]): Scored[] {
  return flat.flatMap((id, i) => (i % 2 === 0 ? [{ id, score: Number(flat[i + 1]) }] : []));
}

function turnOfScore(score: number): number {
  return Math.floor(score / PRIORITY_UNIT);
}
