import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import type { SourceInfo } from '../model/source.ts';
import { fileBytes } from './open-input.ts';
import type { RowBatch } from './read-rows.ts';
import { readRows } from './read-rows.ts';

/** Consecutive rows of a file: chunk `n` (1 = first) holds rows (n − 1) · chunkRows + 1 onward. */
export type RowChunk = { readonly n: number; readonly rows: readonly Row[] };

/**
 * A file's rows as a stream of chunks of `chunkRows` rows, the last one shorter; the same file always gives the same
 * chunks. `source` is what the survey found out. The file is closed when the consumer stops; UsageError where it changed.
 */
export async function* readChunks(
  path: string,
  source: SourceInfo,
  format: Format,
  chunkRows: number,
): AsyncGenerator<RowChunk, void, undefined> {
  yield* inChunks(
    checked(readRows(fileBytes(path), path, formatOf(source, format)), path, source),
    chunkRows,
  );
}

/** What the survey told by looking isn't told again: it holds for the whole run. */
function formatOf(source: SourceInfo, format: Format): Format {
  return { ...format, type: source.type, delimiter: source.delimiter ?? format.delimiter };
}

async function* checked(
  batches: AsyncIterable<RowBatch>,
  path: string,
  source: SourceInfo,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    if (
      source.type !== batch.source.type ||
      (source.type === 'csv' && !hasColumns(batch.source, source.columns))
    ) {
      throw new UsageError(
        `${path}: is not the file it was when it was read first: expected the same header; put the first file back, or start again with this one`,
      );
    }
    yield batch.rows;
  }
}

function hasColumns(source: SourceInfo, columns: readonly string[]): boolean {
  return source.columns.length === columns.length && source.columns.every((name, i) => name === columns[i]);
}

async function* inChunks(
  batches: AsyncIterable<readonly Row[]>,
  chunkRows: number,
): AsyncGenerator<RowChunk> {
  let rest: readonly Row[] = [];
  let n = 0;
  for await (const batch of batches) {
    const rows = rest.length === 0 ? batch : [...rest, ...batch];
    let at = 0;
    for (; rows.length - at >= chunkRows; at += chunkRows) {
      n += 1;
      yield { n, rows: rows.slice(at, at + chunkRows) };
    }
    rest = rows.slice(at);
  }
  if (rest.length > 0) yield { n: n + 1, rows: rest };
}
