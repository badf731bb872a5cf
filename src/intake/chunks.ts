/**
 * A file's rows in chunks, the pieces that a run is worked on in. The same file with the same cuts always gives the same
 * chunks: whoever takes a run up again reads them instead of keeping them. Where rows are grouped (rows of one key
 * become one request), a chunk goes on to the end of its last group, and the run keeps the ends that were found.
 */
import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import { createGroupEnd, type KeyOf } from '../model/row-group.ts';
import { type Chunking, sizeOfFirst } from '../model/run.ts';
import { isTable, type SourceInfo } from '../model/source.ts';
import type { RowBatch } from './row-feed.ts';
import { openRows } from './rows.ts';

export type RowChunk = { readonly n: number; readonly rows: readonly Row[] };

/** How the rows are cut: at the ends that were found before, else into chunks of one size, the last one shorter. */
type Cuts = Pick<Chunking, 'chunkRows' | 'chunkEnds' | 'firstRows'>;

/** For whoever reads a file without a run: enough rows at once that their handling costs little. */
const BATCHES: Cuts = { chunkRows: 500, chunkEnds: null };

/**
 * A file's rows as a stream of chunks. `source` is what the survey found out; UsageError where the file is another one now.
 * The file is closed when the consumer stops.
 */
export async function* readChunks(
  path: string,
  source: SourceInfo,
  format: Format,
  cuts: Cuts = BATCHES,
): AsyncGenerator<RowChunk, void, undefined> {
  const batches = openRows(path, formatOf(source, format));
  yield* inChunks(checked(batches, path, source), cuts);
}

/** With all that the survey told, which holds for the whole run. */
function formatOf(source: SourceInfo, format: Format): Format {
  const sheet = source.sheet === null ? {} : { sheet: source.sheet };
  const { type, encoding } = source;
  return { ...format, type, encoding, delimiter: source.delimiter ?? format.delimiter, ...sheet };
}

async function* checked(
  batches: AsyncIterable<RowBatch>,
  path: string,
  source: SourceInfo,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    if (!isSame(source, batch.source)) {
      throw new UsageError(
        `${path}: is not the file it was when it was read first: expected the same header; put the first file back, or start again with this one`,
      );
    }
    yield batch.rows;
  }
}

function isSame(source: SourceInfo, found: SourceInfo): boolean {
  if (source.type !== found.type || source.compression !== found.compression) return false;
  return !isTable(source) || (source.headerLine === found.headerLine && hasColumns(found, source.columns));
}

function hasColumns(source: SourceInfo, columns: readonly string[]): boolean {
  return source.columns.length === columns.length && source.columns.every((name, i) => name === columns[i]);
}

async function* inChunks(batches: AsyncIterable<readonly Row[]>, cuts: Cuts): AsyncGenerator<RowChunk> {
  let rest: readonly Row[] = [];
  let n = 1;
  for await (const batch of batches) {
    const rows = rest.length === 0 ? batch : [...rest, ...batch];
    let at = 0;
    for (let size = sizeOf(n, cuts); rows.length - at >= size; size = sizeOf(n, cuts)) {
      yield { n, rows: rows.slice(at, at + size) };
      at += size;
      n += 1;
    }
    rest = rows.slice(at);
  }
  if (rest.length > 0) yield { n, rows: rest };
}

/** How many rows the chunk has. A file that has grown has rows behind the last end: they make a chunk too many, which the caller finds. */
function sizeOf(n: number, cuts: Cuts): number {
  const end = cuts.chunkEnds?.[n - 1];
  if (end !== undefined) return end - (cuts.chunkEnds?.[n - 2] ?? 0);
  return n === 1 ? sizeOfFirst(cuts) : cuts.chunkRows;
}

type Cutting = {
  /** The size of the smallest chunk, apart from the last one. */
  readonly chunkRows: number;
  /** The size of the first chunk, where that is sent ahead of the others. */
  readonly firstRows?: number | undefined;
  /** Where rows of one key are one request, a chunk goes on to the end of its last group; else `null`. */
  readonly keyOf: KeyOf | null;
};

/** Tells, asked for the rows in file order, whether a chunk that has `size` rows so far ends before the row. */
export function createCut(cutting: Cutting): (row: Row, size: number) => boolean {
  const { chunkRows, firstRows, keyOf } = cutting;
  const mayEndBefore = keyOf === null ? () => true : createGroupEnd(keyOf);
  let least = firstRows ?? chunkRows;
  return (row, size) => {
    const ends = mayEndBefore(row, size) && size >= least;
    if (ends) least = chunkRows;
    return ends;
  };
}

export async function chunkEndsOf(
  batches: AsyncIterable<{ readonly rows: readonly Row[] }>,
  cutting: Cutting,
): Promise<number[]> {
  const endsBefore = createCut(cutting);
  const ends: number[] = [];
  let read = 0;
  for await (const { rows } of batches) {
    for (const row of rows) {
      const before = ends.at(-1) ?? 0;
      if (endsBefore(row, read - before)) ends.push(read);
      read += 1;
    }
  }
  return read === 0 ? ends : [...ends, read];
}
