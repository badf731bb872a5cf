import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Settlement } from '../model/settlement.ts';
import type { RunKeys } from './keys.ts';
import { readChunks } from './run-view.ts';

/** Numbers of all rows in doubt, in row order. */
export async function rowsInDoubt(redis: RedisConnection, k: RunKeys): Promise<number[]> {
  return (await redis.hkeys(k.doubts)).map(Number).sort((a, b) => a - b);
}

/** Settlements of those of the rows that are in doubt, by row number. */
export async function readDoubts(
  redis: RedisConnection,
  k: RunKeys,
  rows: readonly number[],
): Promise<ReadonlyMap<number, Settlement>> {
  if (rows.length === 0) return new Map();
  const chunks = await redis.hmget(k.doubts, ...rows.map(String));
  const numbers = new Set(chunks.flatMap((chunk) => (chunk === null ? [] : [Number(chunk)])));
  const asked = new Set(rows);
  const settlements = (await readChunks(redis, k, [...numbers])).flat();
  return new Map(
    settlements.filter((s) => s.outcome === 'in-doubt' && asked.has(s.row)).map((s) => [s.row, s]),
  );
}
