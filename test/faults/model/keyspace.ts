import type { Redis } from 'ioredis';
import { identityPlace, type LedgerKeys } from '../../../src/ledger/keys.ts';

/** Every key of a ledger with one run, in the order of `names`; `null`: not there. */
export type Snapshot = ReadonlyArray<Buffer | null>;

/** A ledger's keys, to be written down, put back and removed as a whole. */
export type Keyspace = {
  dump(): Promise<Snapshot>;
  restore(snapshot: Snapshot): Promise<void>;
  empty(): Promise<void>;
};

/** The key that a row's key is known by. */
export function rowKey(row: number): string {
  return `K${row}`;
}

export function createKeyspace(redis: Redis, names: readonly string[]): Keyspace {
  return {
    dump: () => Promise.all(names.map(async (name) => (await redis.dumpBuffer(name)) ?? null)),
    async restore(snapshot) {
      const back = names.flatMap((name, i) => {
        const value = snapshot[i] ?? null;
        return value === null ? [] : [redis.restore(name, 0, value, 'REPLACE')];
      });
      const gone = names.filter((_, i) => (snapshot[i] ?? null) === null);
      await Promise.all([...back, ...(gone.length === 0 ? [] : [redis.del(gone)])]);
    },
    async empty() {
      await redis.del([...names]);
    },
  };
}

/** All that one run of so many rows has in Redis; with the epoch, where it goes back in time as well. */
export function ledgerNames(
  keys: LedgerKeys,
  run: string,
  { rows, epoch }: { readonly rows: number; readonly epoch: boolean },
): string[] {
  const k = keys.run(run);
  const buckets = Array.from(
    { length: rows },
    (_, i) => identityPlace(keys, { space: 'subclient', key: rowKey(i + 1) }).bucket,
  );
  const hashes = [k.record, `${k.chunk}1`, k.blocks, k.late, k.doubts, k.sources, k.bodies, k.documents];
  const shared = [keys.runs, keys.files, keys.breaker, ...buckets];
  return [...new Set([...hashes, k.resolutions, ...shared, ...(epoch ? [keys.epoch, keys.left] : [])])];
}
