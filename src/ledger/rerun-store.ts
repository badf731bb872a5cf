import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { chunksOf } from '../model/run.ts';
import type { LedgerKeys } from './keys.ts';
import { REGISTER_RERUN } from './lua/register-rerun.ts';
import { packRowNumbers } from './row-numbers.ts';
import { INPUT_TTL_SECONDS } from './run-input.ts';
import { type NewRun, newRecord } from './run-store.ts';
import { script } from './script.ts';

/** The reruns of one run: each has the rows of its parent that nobody had taken before. */
export type RerunStore = {
  /** Ids, oldest first. */
  children(): Promise<readonly string[]>;
  /** The rerun registered last, `''` for none: to be handed to `register` by who chooses rows after it. */
  latest(): Promise<string>;
  /** False where another one was registered since `latest` was asked for; its rows may be the same. */
  register(run: NewRun, chosen: Chosen): Promise<boolean>;
};

export type Chosen = {
  /** What `latest` answered before the rows were chosen. */
  readonly latest: string;
  /** The rows' numbers, ascending: what is left of them where Redis loses the rows themselves. */
  readonly rows: readonly number[];
};

const registerRerun = script(REGISTER_RERUN, z.number());

export function createRerunStore(redis: RedisConnection, keys: LedgerKeys, parent: string): RerunStore {
  const entry = `rerun:${parent}`;
  return {
    children: () => childrenOf(redis, keys, parent),
    latest: async () => (await redis.hget(keys.files, entry)) ?? '',
    async register(run, { latest, rows }) {
      const rowNumbers = await packRowNumbers(rows);
      const record = { ...newRecord(run), parent, registry: entry, rowNumbers };
      const chunks = chunksOf({ ...run.facts, chunkRows: run.chunkRows });
      const k = keys.run(run.id);
      const registered = await registerRerun(
        redis,
        [keys.files, keys.runs, k.record, k.input],
        [
          entry,
          run.id,
          run.createdAt.getTime(),
          latest,
          chunks,
          INPUT_TTL_SECONDS,
          ...Object.entries(record).flat(),
        ],
      );
      if (registered < 0) throw new Error(`the rows of rerun ${run.id} are not all in the ledger`);
      return registered === 1;
    },
  };
}

/** Asked of the records themselves, which also outlive a Redis that was put back from the journals. */
async function childrenOf(redis: RedisConnection, keys: LedgerKeys, parent: string): Promise<string[]> {
  const ids = (await redis.zrevrange(keys.runs, 0, -1)).reverse();
  const parents = await Promise.all(ids.map((id) => redis.hget(keys.run(id).record, 'parent')));
  return ids.filter((_, i) => parents[i] === parent);
}
