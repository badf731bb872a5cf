import type { Redis } from 'ioredis';
import { createChunkLedger } from '../../src/ledger/chunk-ledger.ts';
import type { LedgerEpoch } from '../../src/ledger/epoch.ts';
import { claimKeys } from '../../src/ledger/key-claims.ts';
import { identityOf, type LedgerKeys, ledgerKeys } from '../../src/ledger/keys.ts';
import { createRunStore, newRunId } from '../../src/ledger/run-store.ts';
import { newRun } from '../../test/support/runs.ts';
import { settledRow } from '../../test/support/settled-row.ts';
import { openSoleEpoch } from './beat-cost.ts';

const SPACE = 'subclient';
const NOW = new Date('2026-01-02T03:04:05Z');
const ROWS_AT_ONCE = 200;
const CHUNK_ROWS = 100;
const BUCKETS_AT_ONCE = 1_024;

/** Bytes that Redis holds for each of so many keys, every one created with a UUID for an identifier; the Redis must be empty. */
export async function bytesPerKey(redis: Redis, count: number): Promise<number> {
  const keys = ledgerKeys('sandbox');
  const epoch = await openSoleEpoch(redis, keys);
  try {
    await createKeys({ redis, keys, epoch }, count);
  } finally {
    await epoch.close();
  }
  return (await bytesOfBuckets(redis, keys, count)) / count;
}

type Ledger = { readonly redis: Redis; readonly keys: LedgerKeys; readonly epoch: LedgerEpoch };

/** Claims them and records them as created, as a run does; what else a run leaves behind is taken away. */
async function createKeys({ redis, keys, epoch }: Ledger, count: number): Promise<void> {
  const store = createRunStore(redis, keys, () => NOW);
  const id = newRunId(NOW);
  await store.register(newRun({ id, rows: count, chunkRows: CHUNK_ROWS }));
  const run = await store.get(id);
  if (run === null) throw new Error('the run is gone');
  const journal = { write: async () => undefined, note: () => undefined };
  const ledger = createChunkLedger({ epoch: epoch, keys, journal, run, probeMs: 1_000, now: () => NOW });
  for (let first = 1; first <= count; first += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - first + 1) }, (_, i) => first + i);
    const claimed = rows.map((row) => ({ row, key: keyOf(row) }));
    await claimKeys(epoch, keys, { run: id, space: { name: SPACE, ofRun: false }, rows: claimed });
    await ledger.settleAll(rows.map(createdRow));
    const chunks = new Set(rows.map(chunkOf));
    await redis.unlink([...chunks].map((chunk) => `${keys.run(id).chunk}${chunk}`));
  }
}

function createdRow(row: number) {
  const id = `00000000-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;
  const identity = { space: SPACE, key: keyOf(row), becomes: 'known', id } as const;
  return settledRow(row, 'created', { id, chunk: chunkOf(row), identity });
}

function chunkOf(row: number): number {
  return Math.ceil(row / CHUNK_ROWS);
}

function keyOf(row: number): string {
  return `key-${row}`;
}

/** `MEMORY USAGE` of every bucket, its name and its place in the table of all keys included. */
async function bytesOfBuckets(redis: Redis, keys: LedgerKeys, count: number): Promise<number> {
  const buckets = new Set<string>();
  for (let row = 1; row <= count; row += 1) buckets.add(identityOf(keyOf(row)).bucket);
  const names = [...buckets].map((bucket) => `${keys.identity(SPACE)}${bucket}`);
  let bytes = 0;
  for (let at = 0; at < names.length; at += BUCKETS_AT_ONCE) {
    const some = names.slice(at, at + BUCKETS_AT_ONCE);
    const sizes = await Promise.all(some.map((name) => redis.memory('USAGE', name, 'SAMPLES', 0)));
    bytes += sizes.reduce<number>((total, size) => total + (size ?? 0), 0);
  }
  return bytes;
}
