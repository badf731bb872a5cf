import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import { createCellParser } from './csv-cells.ts';
import type { CsvDialect } from './csv-dialect.ts';
import type { CsvHeader } from './csv-header.ts';
import type { CsvPiece } from './csv-pieces.ts';
import { createCsvSplitter, withoutLineEnd } from './csv-pieces.ts';
import type { CsvRecord } from './csv-record-row.ts';
import { isSeparatorsOnly, recordRow } from './csv-record-row.ts';
import { BAD_BYTES } from './decode-utf8.ts';
import type { RowFeed } from './row-feed.ts';
import { createHeaderWatch } from './second-header.ts';
import type { TableWatch } from './second-table.ts';
import { createTableWatch } from './second-table.ts';
import type { HeldRow } from './unopened-cell.ts';
import { judgeHeld, MOST_HELD } from './unopened-cell.ts';
import { unreadableRow } from './unreadable-row.ts';

type Records = Extract<CsvPiece, { kind: 'records' }>;

/** A spreadsheet's last row: more empty rows than that aren't kept back to see whether the file ends with them. */
const MAX_EMPTY_ROWS = 1_048_576;

type State = {
  readonly header: CsvHeader;
  readonly dialect: CsvDialect;
  /** Told the records of another length than the header's, and those of the same. */
  readonly watch: TableWatch;
  readonly headerWatch: TableWatch;
  rows: Row[];
  count: number;
  /** The lines of records of nothing but separators, which are rows only if another row follows. */
  emptyLines: number[];
  /** A row with too few cells and those after it, which may be lines of its last cell. */
  held: HeldRow[];
};

/** Makes rows of the text after the header; UsageError where a quote is never closed or a second table begins. */
export function createCsvRows(path: string, header: CsvHeader, dialect: CsvDialect): RowFeed {
  const split = createCsvSplitter({ dialect, columns: header.width }, header.line);
  const parse = createCellParser(dialect);
  const watch = createTableWatch(path, header);
  const headerWatch = createHeaderWatch(path);
  const state: State = {
    header,
    dialect,
    watch,
    headerWatch,
    rows: [],
    count: 0,
    emptyLines: [],
    held: [],
  };
  return (chunk, final) => {
    state.rows = [];
    for (const piece of split(chunk, final)) {
      if (piece.kind === 'unclosed') throw unclosed(path, piece.line);
      if (piece.kind === 'bad') addBad(state, piece);
      else addRecords(state, piece, parse(piece));
    }
    if (final) releaseHeld(state);
    return state.rows;
  };
}

function addBad(state: State, { text, line, problem }: Extract<CsvPiece, { kind: 'bad' }>): void {
  state.watch(null);
  state.headerWatch(null);
  releaseEmpty(state);
  const { header, dialect, held } = state;
  state.rows.push(...judgeHeld(held, text, { dialect, width: header.width }));
  state.held = [];
  state.count += 1;
  state.rows.push(unreadableRow({ row: state.count, line }, text, problem));
}

function addRecords(state: State, piece: Records, records: readonly string[][]): void {
  // The cutter and csv-parse keep to the same grammar; if ever they don't, no row may go out under a wrong number.
  if (records.length !== piece.starts.length) {
    throw new Error(`cut ${piece.starts.length} records, but csv-parse reads ${records.length}`);
  }
  const mayBeBad = piece.text.includes(BAD_BYTES);
  for (const [i, cells] of records.entries()) {
    const line = piece.lines[i] ?? 0;
    const isOdd = cells.length !== state.header.width;
    const record = { cells, line, isAfterBlank: piece.afterBlank.has(i) };
    state.watch(isOdd ? record : null);
    state.headerWatch(isOdd ? null : record);
    addRecord(state, { cells, line, mayBeBad, text: () => textOf(piece, i) });
  }
}

function addRecord(state: State, record: CsvRecord): void {
  const { header, dialect, held } = state;
  if (isSeparatorsOnly(record, header, dialect.quote) && state.emptyLines.length < MAX_EMPTY_ROWS) {
    state.emptyLines.push(record.line);
    return;
  }
  releaseEmpty(state);
  state.count += 1;
  const row = recordRow(state.count, record, header);
  const cells = record.cells.length;
  if (held.length === 0 && cells >= header.width) state.rows.push(row);
  else holdRow(state, { row, cells, text: record.text });
}

/** A whole row with quotes in good order ends the suspicion, as do too many rows. */
function holdRow(state: State, held: HeldRow): void {
  const { header, dialect } = state;
  state.held.push(held);
  const isQuoted = held.cells >= header.width && held.text().includes(dialect.quote);
  if (isQuoted || state.held.length > MOST_HELD) releaseHeld(state);
}

function releaseHeld(state: State): void {
  state.rows.push(...state.held.map(({ row }) => row));
  state.held = [];
}

/** The empty rows kept back don't end the file, so they are rows. */
function releaseEmpty(state: State): void {
  if (state.emptyLines.length === 0) return;
  releaseHeld(state);
  const cells = state.header.columns.map(() => '');
  for (const line of state.emptyLines) {
    state.count += 1;
    state.rows.push({ kind: 'cells', row: state.count, line, cells });
  }
  state.emptyLines = [];
}

function textOf(piece: Records, index: number): string {
  return withoutLineEnd(piece.text.slice(piece.starts[index], piece.starts[index + 1]));
}

function unclosed(path: string, line: number): UsageError {
  return new UsageError(
    `${path}: the quote opened on line ${line} is not closed: expected a closing quote before the end of its cell; add it, or remove the quote`,
  );
}
