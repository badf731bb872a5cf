/**
 * Which rows of earlier runs a run's rows stand for, each for the last one of its chain: fixed when
 * the run is registered, and put back with its record. Of two at the same time one is registered.
 */
import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Run } from '../../model/run.ts';
import type { Settlement } from '../../model/settlement.ts';
import type { Origins } from '../../model/source.ts';
import type { LedgerKeys } from './keys.ts';
import { packRowNumbers, unpackRowNumbers } from './row-numbers.ts';
import { readBriefs } from './run-record.ts';
import { readAll } from './run-view.ts';

const packedSchema = z.record(z.string(), z.tuple([z.string(), z.string()]));

/** Of the run's record. */
export async function originFields(origins: Origins = new Map()): Promise<Record<string, string>> {
  const some = [...origins].filter(([, pairs]) => pairs.length > 0);
  if (some.length === 0) return {};
  const packed = some.map(async ([run, pairs]) => {
    const [rows, froms] = [pairs.map(([row]) => row), pairs.map(([, from]) => from)];
    return [run, [await packRowNumbers(rows), await packRowNumbers(froms)]] as const;
  });
  const standsFor = Object.fromEntries(some.map(([run, pairs]) => [run, pairs.length]));
  return {
    standsFor: JSON.stringify(standsFor),
    origins: JSON.stringify(Object.fromEntries(await Promise.all(packed))),
  };
}

/** Of a rerun or a corrected file; of any other run, none. */
export async function readOrigins(
  redis: RedisConnection,
  keys: LedgerKeys,
  { id, parent }: { readonly id: string; readonly parent: string | null },
): Promise<Origins> {
  const [origins, numbers] = await redis.hmget(keys.run(id).record, 'origins', 'rowNumbers');
  if (parent !== null) {
    const rows = numbers ? await unpackRowNumbers(numbers) : [];
    return new Map([[parent, rows.map((row) => [row, row] as const)]]);
  }
  if (!origins) return new Map();
  const packed = Object.entries(packedSchema.parse(JSON.parse(origins)));
  const read = packed.map(async ([run, [packedRows, packedFroms]]) => {
    const [rows, froms] = [await unpackRowNumbers(packedRows), await unpackRowNumbers(packedFroms)];
    return [run, rows.map((row, i) => [row, froms[i] ?? 0] as const)] as const;
  });
  return new Map(await Promise.all(read));
}

/** Of a row without a key: by what it was known, its number, and why it did not succeed. */
export type LikeRow = Pick<Settlement, 'keyDigest' | 'nth' | 'code'>;

/** By row of the run: the row it stands for, where that one was not the first of its content. */
export async function likeRowsBefore(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: Pick<Run, 'id' | 'parent'>,
): Promise<ReadonlyMap<number, LikeRow>> {
  const found = new Map<number, LikeRow>();
  const origins = await readOrigins(redis, keys, run);
  for (const { id, chunks } of await readBriefs(redis, keys, [...origins.keys()])) {
    const rows = new Map(origins.get(id)?.map(([row, from]) => [from, row]));
    for await (const { settlements } of readAll(redis, keys.run(id), chunks))
      for (const settlement of settlements) {
        const row = rows.get(settlement.row);
        if (row !== undefined && wasNotFirst(settlement)) found.set(row, settlement);
      }
  }
  return found;
}

function wasNotFirst({ nth, code }: Settlement): boolean {
  return nth !== undefined || code === 'same_row';
}
