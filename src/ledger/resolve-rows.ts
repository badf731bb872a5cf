import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { type Resolution, resolutionSchema } from '../model/resolution.ts';
import type { Run } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { readDoubts } from './doubts.ts';
import type { LedgerKeys } from './keys.ts';
import { RESOLVE } from './lua/resolve.ts';
import {
  noteEntry,
  type ResolveEntry,
  type ResolveOptions,
  type RowDecision,
  resolveEntry,
} from './resolve-entry.ts';
import { script } from './script.ts';

/** What became of one row's decision; `unchanged`: it was decided so before. */
export type RowResolved =
  | { readonly row: number; readonly kind: 'resolved' | 'unchanged' }
  /** Somebody decided otherwise before. */
  | { readonly row: number; readonly kind: 'otherwise'; readonly earlier: Resolution }
  | { readonly row: number; readonly kind: 'not-in-doubt' };

const resolve = script(RESOLVE, z.array(z.string()));

/** Rows of one script call: it holds Redis up for a few milliseconds. */
const MAX_BATCH = 200;
const OTHERWISE = 'otherwise ';

/** Settles rows in doubt as decided; the same decisions again change nothing. Answers in the order given. */
export async function resolveRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  options: ResolveOptions & { readonly decisions: readonly RowDecision[] },
): Promise<RowResolved[]> {
  const resolved: RowResolved[] = [];
  for (const batch of batchesOf(options.decisions)) {
    const doubts = await readDoubts(
      redis,
      keys.run(options.run.id),
      batch.map(({ row }) => row),
    );
    const entries = batch.map((one) =>
      resolveEntry(keys, options, { ...one, doubt: doubts.get(one.row) ?? null }),
    );
    const answers = await call(redis, keys, options.run, entries);
    resolved.push(...batch.map(({ row }, i) => parseAnswer(row, answers[i] ?? '')));
  }
  return resolved;
}

/** Replaces what is said of rows that stay in doubt, where they still are. */
export async function noteDoubts(
  redis: RedisConnection,
  keys: LedgerKeys,
  options: { readonly run: Run; readonly notes: readonly Settlement[] },
): Promise<void> {
  for (const batch of batchesOf(options.notes)) {
    await call(redis, keys, options.run, batch.map(noteEntry));
  }
}

function call(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: Run,
  entries: readonly ResolveEntry[],
): Promise<string[]> {
  const k = keys.run(run.id);
  const names = [k.record, k.chunk, k.blocks, k.late, k.doubts, k.sources, k.resolutions];
  return resolve(redis, names, [run.id, JSON.stringify(entries)]);
}

function parseAnswer(row: number, answer: string): RowResolved {
  if (answer === 'resolved' || answer === 'unchanged') return { row, kind: answer };
  if (!answer.startsWith(OTHERWISE)) return { row, kind: 'not-in-doubt' };
  const earlier = resolutionSchema.parse(JSON.parse(answer.slice(OTHERWISE.length)));
  return { row, kind: 'otherwise', earlier };
}

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += MAX_BATCH) yield items.slice(at, at + MAX_BATCH);
}
