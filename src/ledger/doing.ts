/**
 * What each worker of a target is doing, for people who look. Each worker writes its own entry
 * every few seconds. Which workers hold back the opening of the epoch stands in epoch.ts.
 */
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { LedgerKeys } from './keys.ts';

const doingSchema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  inFlight: z.number(),
  /** The most requests that it may have in flight. */
  limit: z.number(),
  /** Attempts per second. */
  rate: z.number(),
  runs: z.array(z.string()),
});
type Doing = z.infer<typeof doingSchema>;

/** A worker that has not written for so long is gone. */
const GONE_AFTER_MS = 60_000;

export async function keepDoing(
  redis: RedisConnection,
  keys: LedgerKeys,
  worker: string,
  doing: Doing,
): Promise<void> {
  await redis.hset(keys.doing, worker, JSON.stringify(doing));
  const others = await redis.hgetall(keys.doing);
  const gone = Object.keys(others).filter((name) => !isAlive(doingOf(others[name]), doing.at));
  if (gone.length > 0) await redis.hdel(keys.doing, ...gone);
}

export async function forgetDoing(redis: RedisConnection, keys: LedgerKeys, worker: string): Promise<void> {
  await redis.hdel(keys.doing, worker);
}

/** The living workers, by name. */
export async function readDoing(
  redis: RedisConnection,
  keys: LedgerKeys,
  now: number,
): Promise<ReadonlyArray<Doing & { readonly worker: string }>> {
  const all = Object.entries(await redis.hgetall(keys.doing)).sort(([a], [b]) => (a < b ? -1 : 1));
  return all.flatMap(([worker, text]) => {
    const doing = doingOf(text);
    return doing !== null && isAlive(doing, now) ? [{ ...doing, worker }] : [];
  });
}

function isAlive(doing: Doing | null, now: number): boolean {
  return doing !== null && doing.at > now - GONE_AFTER_MS;
}

function doingOf(text: string | undefined): Doing | null {
  try {
    return doingSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}
