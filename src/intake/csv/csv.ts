/**
 * The front door to CSV: tells from a file's head how it is written, and makes rows of what follows its header. Records
 * come cut (records.ts) and parsed (cells.ts); here they become rows, or are refused where they would be a guess: rows
 * of another length, the header once more, lines of a cell whose opening quote is missing, and a
 * second table of the same width.
 */
import type { Format } from '../../config/job-definition.ts';
import { unguardCell } from '../../lib/formula-guard.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { HEADER_AGAIN, isHeaderAgain, looksLikeHeader, looksLikeValue } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { delimiterInReport, isReportText, NOT_TYPED, typedInReport, unreadInReport } from '../report-file.ts';
import { cellsRow, NOT_UTF8, unreadableRow } from '../row.ts';
import { type FileHead, type RowFeed, TEXT_SOURCE, type Understanding } from '../row-feed.ts';
import { cellsBeforeDamage, createCellParser } from './cells.ts';
import { tellDialect } from './dialect.ts';
import { type CsvDialect, cellEndAt, lenientEnd } from './grammar.ts';
import { type CsvHeader, readHeader, readPreamble } from './header.ts';
import { type CsvPiece, createCsvSplitter, withoutLineEnd } from './records.ts';

/** How a CSV file is read, told from its head; UsageError where that can't be told or the header is broken. */
export function understandCsv(path: string, head: FileHead, given: Format): Understanding {
  const format = isReportText(head.text) ? reportFormat(head.text, given) : given;
  const preamble = readPreamble(path, head, format);
  const { dialect, notes } = tellDialect(path, head, preamble, format);
  const header = readHeader(path, head, { preamble, dialect, encoding: format.encoding });
  const { delimiter, quote } = dialect;
  const source = {
    ...TEXT_SOURCE,
    type: 'csv' as const,
    bom: head.bom,
    headerLine: header.headerLine,
    notes: [...notes],
    delimiter,
    quote,
    columns: [...header.columns],
  };
  return { source, ...createCsvRows(path, header, dialect), start: header.end };
}

/**
 * How a report file is read with its job's definition, whose title lines are the partner's file's: a report has none, and each of
 * its lines is a row. Its quotes are doubled, as spreadsheets read them, and a spreadsheet may have saved it
 * with another delimiter.
 */
function reportFormat(text: string, { header, escape: sign, ...plain }: Format): Format {
  return { ...plain, delimiter: delimiterInReport(text, plain.quote) ?? plain.delimiter };
}

type State = {
  readonly header: CsvHeader;
  readonly dialect: CsvDialect;
  readonly watch: TableWatch;
  rows: Row[];
  count: number;
  readonly passed: { within: number; atEnd: number; firstLine: number };
  /** A row with too few cells and those after it, which may be lines of its last cell. */
  held: HeldRow[];
};

/** Makes rows of the text after the header; UsageError where a quote is never closed or a second table begins. */
function createCsvRows(
  path: string,
  header: CsvHeader,
  dialect: CsvDialect,
): Pick<Understanding, 'feed' | 'lateNotes'> {
  const split = createCsvSplitter({ dialect, columns: header.width }, header.line);
  const parse = createCellParser(dialect);
  const watch = createHeaderWatch(path);
  const passed = { within: 0, atEnd: 0, firstLine: 0 };
  const state: State = { header, dialect, watch, rows: [], count: 0, passed, held: [] };
  const feed: RowFeed = (chunk, final) => {
    state.rows = [];
    for (const piece of split(chunk, final)) {
      if (piece.kind === 'unclosed') throw unclosedQuote(path, piece.line);
      if (piece.kind === 'bad') addBad(state, piece);
      else addRecords(state, piece, parse(piece));
    }
    if (final) releaseHeld(state);
    return state.rows;
  };
  return { feed, lateNotes: () => passedNote(passed) };
}

function passedNote({ within, firstLine }: State['passed']): readonly string[] {
  if (within === 0) return [];
  const rows = within === 1 ? '1 row' : `${within} rows`;
  return [
    `${rows} of nothing but separators passed over, on line ${firstLine}${within === 1 ? '' : ' and below'}.`,
  ];
}

function unclosedQuote(path: string, line: number): UsageError {
  return new UsageError(
    `${path}: the quote opened on line ${line} is not closed: expected a closing quote before the end of its cell; add it, or remove the quote`,
  );
}

type Records = Extract<CsvPiece, { kind: 'records' }>;

function addBad(state: State, { text, line, problem }: Extract<CsvPiece, { kind: 'bad' }>): void {
  state.watch(null);
  countPassed(state);
  const { header, dialect, held } = state;
  state.rows.push(...judgeHeld(held, text, dialect, header.width));
  state.held = [];
  state.count += 1;
  const cells = sureOf(cellsBeforeDamage(text, dialect, header.width), header);
  state.rows.push(unreadableRow({ row: state.count, line }, text, problem, { cells }));
}

/** Cells of a row that can't be read as a whole; one with bytes that are no characters is damaged itself. */
function sureOf(cells: readonly string[], { columns, isReport }: CsvHeader): readonly (string | null)[] {
  return cells
    .slice(0, columns.length)
    .map((cell) => (DAMAGED.test(cell) ? null : isReport ? unguardCell(cell) : cell));
}

/** csv-parse turns `BAD_BYTES` into U+FFFD. */
const DAMAGED = new RegExp(`[${BAD_BYTES}\uFFFD]`, 'u');

function addRecords(state: State, piece: Records, records: readonly string[][]): void {
  // The splitter and csv-parse follow the same grammar. If they ever differ, no row may be sent under a wrong number.
  if (records.length !== piece.starts.length) {
    throw new Error(`cut ${piece.starts.length} records, but csv-parse reads ${records.length}`);
  }
  const mayBeBad = piece.text.includes(BAD_BYTES);
  for (const [i, cells] of records.entries()) {
    const line = piece.lines[i] ?? 0;
    const isAfterBlank = piece.afterBlank.has(i);
    state.watch(cells.length === state.header.width ? { cells, line, isAfterBlank } : null);
    addRecord(state, { cells, line, mayBeBad, text: () => recordText(piece, i) });
  }
}

function recordText(piece: Records, index: number): string {
  return withoutLineEnd(piece.text.slice(piece.starts[index], piece.starts[index + 1]));
}

function addRecord(state: State, record: CsvRecord): void {
  const { header, dialect, held } = state;
  if (isSeparatorsOnly(record, header, dialect.quote)) {
    if (state.passed.firstLine === 0) state.passed.firstLine = record.line;
    state.passed.atEnd += 1;
    return;
  }
  countPassed(state);
  state.count += 1;
  const row = recordRow(state.count, record, header);
  const cells = record.cells.length;
  if (held.length === 0 && cells >= header.width) state.rows.push(row);
  else holdRow(state, { row, cells, text: record.text });
}

/** Empty records before a row are counted; those that a file ends with, as spreadsheets write them, are not worth a word. */
function countPassed({ passed }: State): void {
  passed.within += passed.atEnd;
  passed.atEnd = 0;
}

/** A whole row with quotes in good order ends the suspicion that a quote is missing, as do too many rows. */
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

type CsvRecord = {
  readonly cells: string[];
  readonly line: number;
  readonly mayBeBad: boolean;
  readonly text: () => string;
};

/** Whether a record of several cells is separators only (and spaces, where cells are trimmed), without quotes. */
function isSeparatorsOnly({ cells, text }: CsvRecord, header: CsvHeader, quote: string): boolean {
  const isWhole = cells.length === header.width && cells.length > 1;
  return isWhole && cells[0] === '' && cells.every((cell) => cell === '') && !text().includes(quote);
}

function recordRow(row: number, record: CsvRecord, header: CsvHeader): Row {
  const { cells, line } = record;
  const problem = recordProblem(record, header);
  if (problem !== null) {
    const sure = problem === NOT_UTF8 ? sureOf(cells, header) : [];
    return unreadableRow({ row, line }, record.text(), problem, { cells: sure });
  }
  const named = cells.length === header.columns.length ? cells : cells.slice(0, header.columns.length);
  if (!header.isReport) return { kind: 'cells', row, line, cells: named };
  const unguarded = named.map(unguardCell);
  const unread = unreadInReport({ row, line }, unguarded, header.columns);
  if (unread !== null) return unread;
  const told = typedInReport(unguarded, header.columns);
  if (told === null) return unreadableRow({ row, line }, record.text(), NOT_TYPED);
  return cellsRow({ row, line }, unguarded, told);
}

function recordProblem({ cells, mayBeBad, text }: CsvRecord, header: CsvHeader): string | null {
  const { columns, width } = header;
  if (cells.length !== width) return wrongLength(cells.length, width);
  if (mayBeBad && text().includes(BAD_BYTES)) return NOT_UTF8;
  const nameless = cells.findIndex((cell, i) => i >= columns.length && cell !== '');
  // With a separator too many in its text, a row would have its last cell there.
  if (nameless !== -1) return `column ${nameless + 1} has no name in the header: ${NOTHING_THERE}`;
  const named = header.isReport ? cells.map(unguardCell) : cells;
  return isHeaderAgain(named, columns) ? HEADER_AGAIN : null;
}

const NOTHING_THERE =
  'expected nothing in it, since a row with a separator too many would look the same; name the column, or correct the row';

function wrongLength(cells: number, columns: number): string {
  return `${cells} ${cells === 1 ? 'cell' : 'cells'} where the header has ${columns}`;
}

/** A row that may turn out to be a line of a cell whose opening quote is missing, with the number of its record's cells. */
type HeldRow = { readonly row: Row; readonly cells: number; readonly text: () => string };

/** Rows that are held back at most: a cell of more lines would swallow too many good rows. */
const MOST_HELD = 50;

/**
 * The rows held back, now that the damaged record `bad` follows. Where its first quote closes a cell that an earlier row
 * with too few cells began (the two together have `width` cells), the rows between are lines of that cell: unreadable.
 */
function judgeHeld(
  held: readonly HeldRow[],
  bad: string,
  dialect: CsvDialect,
  width: number,
): readonly Row[] {
  const wanted = width + 1 - (cellsOfTail(bad, dialect) ?? 0);
  const first = held.findIndex(({ cells }) => cells === wanted && cells < width);
  const line = held[first]?.row.line;
  if (first === -1 || line === undefined) return held.map(({ row }) => row);
  return held.map(({ row, text }, i) =>
    i > first && row.kind === 'cells' ? unreadableRow(row, text(), innerLine(line)) : row,
  );
}

/** How many cells of a record end from the cell on that its first quote closes; `null` where that quote closes no cell. */
function cellsOfTail(text: string, dialect: CsvDialect): number | null {
  const view = { text, end: text.length, final: true };
  const quote = text.indexOf(dialect.quote);
  const isClosing = quote > 0 && cellEndAt(view, quote + 1, dialect) !== null;
  return isClosing ? (lenientEnd(view, quote + 1, dialect)?.cells ?? null) : null;
}

function innerLine(line: number): string {
  return `may be a line of a cell that begins on line ${line} without a quote: expected quotes around a cell of several lines`;
}

type TableRecord = {
  readonly cells: readonly string[];
  readonly line: number;
  readonly isAfterBlank: boolean;
};

/** Takes every record in order, `null` for one that can't begin a table of the same width. */
type TableWatch = (record: TableRecord | null) => void;

/**
 * Watches records as long as the header for a second table's header: a record of names that a blank line sets off,
 * between rows that both hold values and share no cell with it. Rows of nothing but words are never taken for one.
 */
function createHeaderWatch(path: string): TableWatch {
  let above: TableRecord | null = null;
  let candidate: TableRecord | null = null;
  return (record) => {
    // In a file with a blank line after every record the blank lines set nothing off.
    if (candidate !== null && record?.isAfterBlank === false && isRowFor(record, candidate)) {
      throw secondHeader(path, candidate);
    }
    candidate = record !== null && isSetOff(record, above) ? record : null;
    above = record;
  };
}

/** The values (ids, amounts, dates, addresses) that a row has at least; a header has none. */
const ENOUGH_VALUES = 2;

function isSetOff(record: TableRecord, above: TableRecord | null): boolean {
  return record.isAfterBlank && above !== null && looksLikeHeader(record.cells) && isRowFor(above, record);
}

function isRowFor({ cells }: TableRecord, header: TableRecord): boolean {
  return (
    cells.filter(looksLikeValue).length >= ENOUGH_VALUES && !cells.some((cell) => header.cells.includes(cell))
  );
}

function secondHeader(path: string, { line, cells }: TableRecord): UsageError {
  return new UsageError(
    `${path}, line ${line}: a second table seems to begin here: after a blank line, this line looks like a header of ${cells.length} columns, and the rows above and below it don't: expected one table per file; put the second one into a file of its own, or remove the blank line if this is a row`,
  );
}
