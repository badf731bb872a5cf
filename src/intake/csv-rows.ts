import { unguardCell } from '../lib/formula-guard.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import { createCellParser } from './csv-cells.ts';
import type { CsvDialect } from './csv-dialect.ts';
import type { CsvHeader } from './csv-header.ts';
import type { CsvPiece } from './csv-pieces.ts';
import { createCsvSplitter, withoutLineEnd } from './csv-pieces.ts';
import { BAD_BYTES } from './decode-utf8.ts';
import type { RowFeed } from './row-feed.ts';
import { NOT_UTF8, unreadableRow } from './unreadable-row.ts';

type Records = Extract<CsvPiece, { kind: 'records' }>;

/** Makes rows of the text after the header; UsageError where a quote is never closed. */
export function createCsvRows(path: string, header: CsvHeader, dialect: CsvDialect): RowFeed {
  const split = createCsvSplitter({ dialect, columns: header.columns.length }, header.line);
  const parse = createCellParser(dialect);
  let rows = 0;

  const rowsOf = (piece: CsvPiece): Row[] => {
    if (piece.kind === 'unclosed') throw unclosed(path, piece.line);
    const made =
      piece.kind === 'bad'
        ? [unreadableRow({ row: rows + 1, line: piece.line }, piece.text, piece.problem)]
        : recordRows(piece, parse(piece.text), rows, header);
    rows += made.length;
    return made;
  };
  return (chunk, final) => split(chunk, final).flatMap(rowsOf);
}

function recordRows(piece: Records, records: readonly string[][], before: number, header: CsvHeader): Row[] {
  // The cutter and csv-parse keep to the same grammar; if ever they don't, no row may go out under a wrong number.
  if (records.length !== piece.starts.length) {
    throw new Error(`cut ${piece.starts.length} records, but csv-parse reads ${records.length}`);
  }
  const mayBeBad = piece.text.includes(BAD_BYTES);
  return records.map((cells, i) => {
    const place = { row: before + i + 1, line: piece.lines[i] ?? 0 };
    if (cells.length !== header.columns.length) {
      return unreadableRow(place, textOf(piece, i), wrongLength(cells.length, header.columns.length));
    }
    if (mayBeBad && textOf(piece, i).includes(BAD_BYTES))
      return unreadableRow(place, textOf(piece, i), NOT_UTF8);
    return { kind: 'cells', ...place, cells: header.isReport ? cells.map(unguardCell) : cells };
  });
}

function textOf(piece: Records, index: number): string {
  return withoutLineEnd(piece.text.slice(piece.starts[index], piece.starts[index + 1]));
}

function wrongLength(cells: number, columns: number): string {
  return `${cells} ${cells === 1 ? 'cell' : 'cells'} where the header has ${columns}`;
}

function unclosed(path: string, line: number): UsageError {
  return new UsageError(
    `${path}: the quote opened on line ${line} is not closed: expected a closing quote before the end of its cell; add it, or remove the quote`,
  );
}
