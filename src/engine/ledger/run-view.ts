/**
 * What the ledger holds of a run, for its report, for reruns and for `resolve`: settlements chunk
 * by chunk, open or closed, and what is kept of rows that did not succeed. Memory does not grow
 * with the run.
 */
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Seal } from '../../lib/seal.ts';
import { passStep } from '../../lib/steps.ts';
import { type KeptSighting, sightingSchema } from '../../model/resolution.ts';
import { rowSchema } from '../../model/row.ts';
import { type Chunking, chunksOf, type Run, rowsBefore } from '../../model/run.ts';
import type { LedgerView, RefusalBody, SettledChunk, Settlement } from '../../model/settlement.ts';
import { type KeptOfRow, keptPlace, type LedgerKeys, type RunKeys } from './keys.ts';
import { parseSettlement, unpackBlock } from './mark.ts';
import { readMarks, settlementsOf } from './open-chunk.ts';
import { openBody } from './refusal-bodies.ts';
import { createRunInput } from './reruns.ts';

const CHUNKS_AT_ONCE = 16;

export function createRunView(redis: RedisConnection, keys: LedgerKeys, run: Run): LedgerView {
  const k = keys.run(run.id);
  return {
    chunks: () => readAll(redis, k, chunksOf(run)),
    async sources(rows) {
      const texts = await openRows(redis, k, 'sources', rows);
      return new Map([...texts].map(([row, text]) => [row, rowSchema.parse(JSON.parse(text))]));
    },
    bodies: (rows) => openBodies(redis, k, rows),
    documents: (rows) => openRows(redis, k, 'documents', rows),
  };
}

/** The chunks 1 to `last`, in order. */
export async function* readAll(
  redis: RedisConnection,
  k: RunKeys,
  last: number,
): AsyncIterable<SettledChunk> {
  const pass = (done: number) => passStep({ doing: "reading the run's rows", done, all: last });
  try {
    for (let first = 1; first <= last; first += CHUNKS_AT_ONCE) {
      const length = Math.min(CHUNKS_AT_ONCE, last - first + 1);
      yield* await readChunks(
        redis,
        k,
        Array.from({ length }, (_, i) => first + i),
      );
      pass(first + length - 1);
    }
  } finally {
    pass(last);
  }
}

/** The chunks with these rows, in order; a group is never in two chunks. */
export async function* chunksAround(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: Run,
  rows: ReadonlySet<number>,
): AsyncGenerator<SettledChunk> {
  if (rows.size === 0) return;
  // The rows of a rerun keep their numbers from its parent's file.
  const numbers = run.parent === null ? null : await createRunInput(redis, keys, run.id).numbers();
  const chunks = chunksWith(rows, run, numbers);
  for (let at = 0; at < chunks.length; at += CHUNKS_AT_ONCE) {
    yield* await readChunks(redis, keys.run(run.id), chunks.slice(at, at + CHUNKS_AT_ONCE));
  }
}

/** `numbers`: the run's row numbers, where they don't count from 1. */
export function chunksWith(
  rows: ReadonlySet<number>,
  run: Chunking,
  numbers: readonly number[] | null,
): number[] {
  const places = numbers === null ? [...rows] : numbers.flatMap((row, i) => (rows.has(row) ? [i + 1] : []));
  const inRun = places.filter((place) => place >= 1 && place <= run.rows).sort((a, b) => a - b);
  const chunks = new Set<number>();
  let n = 1;
  for (const place of inRun) {
    while (rowsBefore(run, n + 1) < place) n += 1;
    chunks.add(n);
  }
  return [...chunks];
}

export async function readChunks(
  redis: RedisConnection,
  k: RunKeys,
  chunks: readonly number[],
): Promise<readonly SettledChunk[]> {
  const seal = await k.seal();
  const read = await Promise.all(chunks.map((n) => readChunk(redis, k, n, seal)));
  const late = await readRows(redis, k.late, replaceable(read.flatMap(({ settlements }) => settlements)));
  if (late.size === 0) return read;
  return read.map((one) => ({ ...one, settlements: one.settlements.map((s) => replaced(s, late, seal)) }));
}

/** The block is looked for twice: the chunk may close between the two look-ups. */
async function readChunk(
  redis: RedisConnection,
  k: RunKeys,
  chunk: number,
  seal: Seal,
): Promise<SettledChunk> {
  const block = await redis.hgetBuffer(k.blocks, String(chunk));
  if (block !== null) return { chunk, ...unpackBlock(block, seal) };
  const marks = await readMarks(redis, `${k.chunk}${chunk}`, seal);
  const closed = await redis.hgetBuffer(k.blocks, String(chunk));
  if (closed !== null) return { chunk, ...unpackBlock(closed, seal) };
  return { chunk, closedAt: null, settlements: settlementsOf(marks) };
}

function replaceable(settlements: readonly Settlement[]): number[] {
  return settlements.flatMap((s) => (isReplaceable(s) ? [s.row] : []));
}

/**
 * Any outcome may replace a doubt; an acceptance may replace a person's decision; an adoption may
 * be taken back.
 */
function isReplaceable({ outcome, code }: Settlement): boolean {
  if (outcome === 'adopted') return true;
  return outcome === 'in-doubt' || (outcome === 'failed' && code === 'not_created');
}

function replaced(settlement: Settlement, late: ReadonlyMap<number, string>, seal: Seal): Settlement {
  const text = late.get(settlement.row);
  return text === undefined ? settlement : parseSettlement(text, seal);
}

/** What is kept of rows, out of their boxes. */
async function openRows(
  redis: RedisConnection,
  k: RunKeys,
  what: KeptOfRow,
  rows: readonly number[],
): Promise<Map<number, string>> {
  const boxes = await readRows(redis, k[what], rows);
  const seal = await k.seal();
  return new Map([...boxes].map(([row, box]) => [row, seal.openText(keptPlace(what, row), box)]));
}

async function openBodies(
  redis: RedisConnection,
  { bodies, seal }: RunKeys,
  rows: readonly number[],
): Promise<Map<number, RefusalBody>> {
  const digests = await readRows(redis, bodies, rows);
  const boxes = await readRows(redis, bodies, [...new Set(digests.values())]);
  const opening = await seal();
  const texts = new Map([...boxes].map(([digest, box]) => [digest, openBody(box, digest, opening)]));
  return new Map([...digests].flatMap(([row, digest]) => present(row, texts.get(digest))));
}

async function readRows<Name extends string | number>(
  redis: RedisConnection,
  key: string,
  rows: readonly Name[],
): Promise<Map<Name, string>> {
  if (rows.length === 0) return new Map();
  const values = await redis.hmget(key, ...rows.map(String));
  return new Map(rows.flatMap((row, i) => present(row, values[i])));
}

function present<Name, Value>(name: Name, value: Value | null | undefined): [] | [readonly [Name, Value]] {
  return value === null || value === undefined ? [] : [[name, value]];
}

export async function readSightings(
  redis: RedisConnection,
  k: RunKeys,
  rows: readonly number[],
): Promise<ReadonlyMap<number, KeptSighting>> {
  const texts = await openRows(redis, k, 'sightings', rows);
  return new Map([...texts].map(([row, text]) => [row, sightingSchema.parse(JSON.parse(text))]));
}

/** In row order. */
export async function rowsInDoubt(redis: RedisConnection, k: RunKeys): Promise<number[]> {
  return (await redis.hkeys(k.doubts)).map(Number).sort((a, b) => a - b);
}

export async function readDoubts(
  redis: RedisConnection,
  k: RunKeys,
  rows: readonly number[],
): Promise<ReadonlyMap<number, Settlement>> {
  if (rows.length === 0) return new Map();
  const chunks = await redis.hmget(k.doubts, ...rows.map(String));
  const numbers = new Set(chunks.flatMap((chunk) => (chunk === null ? [] : [Number(chunk)])));
  const asked = new Set(rows);
  const found = await readChunks(redis, k, [...numbers]);
  const settlements = found.flatMap((one) => one.settlements);
  return new Map(
    settlements.filter((s) => s.outcome === 'in-doubt' && asked.has(s.row)).map((s) => [s.row, s]),
  );
}
