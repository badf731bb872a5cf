/**
 * What the ledger holds of a run, for its report, for reruns and for `resolve`: settlements chunk
 * by chunk, open or closed, and what is kept of rows that did not succeed. Memory does not grow
 * with the run.
 */
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Seal } from '../../lib/seal.ts';
import { passStep } from '../../lib/steps.ts';
import { staysOpen } from '../../model/outcome.ts';
import { type KeptSighting, sightingSchema } from '../../model/resolution.ts';
import { rowSchema } from '../../model/row.ts';
import { type Chunking, chunksOf, type Run, type RunProgress, rowsBefore } from '../../model/run.ts';
import type { LedgerView, RefusalBody, SettledChunk, Settlement } from '../../model/settlement.ts';
import { unpackChunk, unpackOpen } from './block.ts';
import { type KeptOfRow, keptPlace, type LedgerKeys, type RunKeys } from './keys.ts';
import { parseSettlement } from './mark.ts';
import { readMarks, settlementsOf } from './open-chunk.ts';
import { openBody } from './refusal-bodies.ts';
import { createRunInput } from './reruns.ts';

const CHUNKS_AT_ONCE = 16;
/** Few of their rows are open. */
const OPEN_AT_ONCE = 64;

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
  const chunks = await numbersAround(redis, keys, run, rows);
  for (const some of batchesOf(chunks, CHUNKS_AT_ONCE))
    yield* await readChunks(redis, keys.run(run.id), some);
}

/** The open rows of the chunks with these, which did not succeed; in order. */
export async function* openAround(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: Run,
  rows: ReadonlySet<number>,
): AsyncGenerator<readonly Settlement[]> {
  if (areAllClosed(run)) {
    yield* readOpen(redis, keys.run(run.id), await numbersAround(redis, keys, run, rows));
    return;
  }
  for await (const { settlements } of chunksAround(redis, keys, run, rows))
    yield settlements.filter(({ outcome }) => staysOpen(outcome));
}

async function numbersAround(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: Run,
  rows: ReadonlySet<number>,
): Promise<number[]> {
  if (rows.size === 0) return [];
  // The rows of a rerun keep their numbers from its parent's file.
  const numbers = run.parent === null ? null : await createRunInput(redis, keys, run.id).numbers();
  return chunksWith(rows, run, numbers);
}

/** Before that, what Redis lost of a run may have left open rows of a chunk that is not closed. */
export function areAllClosed({ closedChunks, chunks }: RunProgress): boolean {
  return closedChunks === chunks;
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
  if (chunks.length === 0) return [];
  const seal = await k.seal();
  const closed = await readClosed(redis, k, chunks, seal);
  const read = await Promise.all(
    closed.map((one, i) => one ?? readOpenChunk(redis, k, chunks[i] ?? 0, seal)),
  );
  const late = await readLate(
    redis,
    k,
    read.flatMap(({ settlements }) => settlements),
  );
  if (late.size === 0) return read;
  return read.map((one) => ({ ...one, settlements: one.settlements.map((s) => replaced(s, late, seal)) }));
}

/** `null` for one that is not closed. */
async function readClosed(
  redis: RedisConnection,
  k: RunKeys,
  chunks: readonly number[],
  seal: Seal,
): Promise<(SettledChunk | null)[]> {
  const names = chunks.map(String);
  const look = async () => {
    const parts = [redis.hmgetBuffer(k.blocks, ...names), redis.hmgetBuffer(k.openRows, ...names)] as const;
    const [blocks, openRows] = await Promise.all(parts);
    return chunks.map((chunk, i) => {
      const [block = null, open = null] = [blocks[i], openRows[i]];
      return block === null ? null : { chunk, ...unpackChunk({ block, open }, seal) };
    });
  };
  // Between the two answers a purge may have replaced both.
  return look().catch(look);
}

/** The chunk may have been closed since its block was looked for. */
async function readOpenChunk(
  redis: RedisConnection,
  k: RunKeys,
  chunk: number,
  seal: Seal,
): Promise<SettledChunk> {
  const marks = await readMarks(redis, `${k.chunk}${chunk}`, seal);
  const [closed = null] = await readClosed(redis, k, [chunk], seal);
  return closed ?? { chunk, closedAt: null, settlements: settlementsOf(marks) };
}

/** Of chunks of a run whose chunks are all closed: their open rows, as they stand now. */
export async function* readOpen(
  redis: RedisConnection,
  k: RunKeys,
  chunks: readonly number[],
): AsyncGenerator<readonly Settlement[]> {
  const seal = await k.seal();
  for (const some of batchesOf(chunks, OPEN_AT_ONCE)) {
    const parts = await redis.hmgetBuffer(k.openRows, ...some.map(String));
    const rows = parts.flatMap((part) => (part === null ? [] : unpackOpen(part, seal)));
    const late = await readLate(redis, k, rows);
    yield rows.map((one) => replaced(one, late, seal));
  }
}

function readLate(redis: RedisConnection, { late }: RunKeys, settlements: readonly Settlement[]) {
  return readRows(redis, late, replaceable(settlements));
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
