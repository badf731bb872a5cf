/**
 * A file's rows in chunks, the units of work of a run. The same file and cuts always give the same
 * chunks, so nobody keeps them: whoever takes up a run again reads them. Where rows are grouped, a
 * chunk runs to the end of its last group, and the run keeps these ends.
 */
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { createGroupEnd, type KeyOf } from '../../model/row-group.ts';
import { type Chunking, sizeOfFirst } from '../../model/run.ts';
import { isTable, type SourceInfo } from '../../model/source.ts';
import type { ReadFormat, RowBatch } from './row-feed.ts';
import { openRows } from './rows.ts';

export type RowChunk = { readonly n: number; readonly rows: readonly Row[] };

/** Cuts at `chunkEnds` where they are known, else into chunks of one size, the last one shorter. */
type Cuts = Pick<Chunking, 'chunkRows' | 'chunkEnds' | 'firstRows'>;

/** For reading without a run: large enough that handling a batch costs little. */
const BATCHES: Cuts = { chunkRows: 500, chunkEnds: null };

/**
 * `source`: the survey's; UsageError where the file is another one now. Closes the file when the
 * consumer stops.
 */
export async function* readChunks(
  path: string,
  source: SourceInfo,
  format: ReadFormat,
  cuts: Cuts = BATCHES,
): AsyncGenerator<RowChunk, void, undefined> {
  const batches = openRows(path, formatOf(source, format));
  yield* inChunks(checked(batches, path, source), cuts);
}

/** What the survey found holds for the whole run. */
function formatOf(source: SourceInfo, format: ReadFormat): ReadFormat {
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
        `${path}: is not the file it was when it was read first: expected the ` +
          'same header; put the first file back, or start again with this one',
      );
    }
    const { clear = source.clear } = batch.source;
    if (clear !== source.clear) throw new UsageError(`${path}: ${DECRYPTED_OTHERWISE}`);
    yield batch.rows;
  }
}

const DECRYPTED_OTHERWISE =
  'the command under `decrypt` gave something else than when the file was read first: ' +
  'expected the same bytes; find out why, and cancel the run if the first reading was wrong';

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

/** Rows beyond the last end (the file has grown) make a chunk too many, which the caller finds. */
function sizeOf(n: number, cuts: Cuts): number {
  const end = cuts.chunkEnds?.[n - 1];
  if (end !== undefined) return end - (cuts.chunkEnds?.[n - 2] ?? 0);
  return n === 1 ? sizeOfFirst(cuts) : cuts.chunkRows;
}

type Cutting = {
  /** The least rows in a chunk, except in the last one. */
  readonly chunkRows: number;
  /** Set where the first chunk is sent ahead of the others. */
  readonly firstRows?: number | undefined;
  /** A chunk ends between groups of these keys; `null`: anywhere. */
  readonly keyOf: KeyOf | null;
};

/** Call for the rows in file order: returns whether a chunk of `size` rows ends before the row. */
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

/** Call `see` for the rows in file order. */
export function createChunkEnds(cutting: Cutting): { see(row: Row): void; ends(): number[] } {
  const endsBefore = createCut(cutting);
  const ends: number[] = [];
  let read = 0;
  return {
    see(row) {
      if (endsBefore(row, read - (ends.at(-1) ?? 0))) ends.push(read);
      read += 1;
    },
    ends: () => (read === 0 ? [] : [...ends, read]),
  };
}
