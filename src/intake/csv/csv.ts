/**
 * The front door to CSV: tells from a file's head how it is written, and makes rows of what follows
 * the header.
 */
import type { Format } from '../../config/job-definition.ts';
import { unguardCell } from '../../lib/formula-guard.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { HEADER_AGAIN, isHeaderAgain, namelessProblem } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { delimiterInReport, isReportText, reportRow } from '../report-file.ts';
import { NO_TEXT, unreadableRow } from '../row.ts';
import { type FileHead, type RowFeed, SOURCE_DEFAULTS, type Understanding } from '../row-feed.ts';
import { createCsvReader } from './cells.ts';
import { tellDialect } from './dialect.ts';
import { type CsvDialect, cellsInLine } from './grammar.ts';
import { type CsvHeader, readHeader, readPreamble } from './header.ts';
import type { BadLine, CsvRecord } from './records.ts';
import { createSalvage, type FittingRecord, type Found, type Misfit } from './salvage.ts';

export function understandCsv(path: string, head: FileHead, given: Format): Understanding {
  const format = isReportText(head.text) ? reportFormat(head.text, given) : given;
  const preamble = readPreamble(path, head, format);
  const { dialect, notes } = tellDialect(path, head, preamble, format);
  const header = readHeader(path, head, { preamble, dialect }, format);
  const { delimiter, quote } = dialect;
  const source = {
    ...SOURCE_DEFAULTS,
    type: 'csv' as const,
    bom: head.bom,
    headerLine: header.headerLine,
    notes: [...notes],
    delimiter,
    quote,
    columns: [...header.columns],
  };
  return { source, feed: createCsvRows(path, preamble.line, header, dialect), start: preamble.start };
}

/**
 * A report has no title lines and doubles its quotes, whatever its job's definition says of the
 * partner's file. A spreadsheet may have saved it with another delimiter.
 */
function reportFormat(text: string, { header, escape: sign, ...plain }: Format): Format {
  return { ...plain, delimiter: delimiterInReport(text, plain.quote) ?? plain.delimiter };
}

/** Takes the text from the header on. UsageError where a quote is never closed. */
function createCsvRows(path: string, line: number, header: CsvHeader, dialect: CsvDialect): RowFeed {
  const read = createCsvReader(dialect, line);
  let rows: Row[] = [];
  let count = 0;
  const table = createTable(header, dialect, {
    record: (record) => rows.push(recordRow(++count, record, header)),
    unreadable: ({ text, line, problem }) => rows.push(unreadableRow({ row: ++count, line }, text, problem)),
  });
  return (chunk, final) => {
    rows = [];
    for (const piece of read(chunk, final)) {
      if (piece.kind === 'unclosed') throw unclosedQuote(path, piece.line);
      if (piece.kind === 'bad') table.badLine(piece);
      else if (piece.line !== header.headerLine) table.record(piece);
    }
    if (final) table.end();
    return rows;
  };
}

function unclosedQuote(path: string, line: number): UsageError {
  return new UsageError(
    `${path}: the quote opened on line ${line} is not closed: expected a closing quote before the end of its cell; add it, or remove the quote`,
  );
}

/** A record of separators alone is an empty line. */
function createTable({ width }: CsvHeader, dialect: CsvDialect, found: Found) {
  const salvage = createSalvage(dialect, width, found);
  let isAfterEmpty = false;
  const misfits = (misfit: Misfit) => {
    salvage.misfits(isAfterEmpty ? { ...misfit, isAfterBlank: true } : misfit);
    isAfterEmpty = false;
  };
  return {
    record(record: CsvRecord) {
      const isFitting = record.cells.length === width;
      if (isFitting) isAfterEmpty = isSeparatorsOnly(record, dialect.quote);
      if (isFitting && !isAfterEmpty) salvage.fits(record);
      else if (!isFitting && record.text.trim() !== '') misfits(wrongLength(record, width));
    },
    badLine: (piece: BadLine) =>
      misfits({ ...piece, cells: cellsInLine(piece.text, dialect), isDamaged: true }),
    end: salvage.end,
  };
}

/** Several empty cells, none in quotes. */
function isSeparatorsOnly({ cells, text }: CsvRecord, quote: string): boolean {
  const isEmpty = cells.length > 1 && cells[0] === '' && cells.every((cell) => cell === '');
  return isEmpty && !text.includes(quote);
}

function wrongLength({ cells: { length }, text, line, isAfterBlank }: CsvRecord, width: number): Misfit {
  const problem = `${length} ${length === 1 ? 'cell' : 'cells'} where the header has ${width}`;
  return { text, line, cells: length, problem, isAfterBlank, isDamaged: false };
}

function recordRow(row: number, record: FittingRecord, header: CsvHeader): Row {
  const { columns, isReport } = header;
  const { cells, line, text } = record;
  const named = cells.length === columns.length ? cells : cells.slice(0, columns.length);
  const own = isReport ? named.map(unguardCell) : named;
  const problem = recordProblem(record, own, columns);
  if (problem !== null) return unreadableRow({ row, line }, text, problem);
  return isReport ? reportRow({ row, line }, own, columns, text) : { kind: 'cells', row, line, cells: own };
}

function recordProblem(
  { cells, text }: FittingRecord,
  named: readonly string[],
  columns: readonly string[],
): string | null {
  if (text.includes(BAD_BYTES)) return NO_TEXT;
  const nameless =
    cells.length === columns.length ? -1 : cells.findIndex((cell, i) => i >= columns.length && cell !== '');
  if (nameless !== -1) return namelessProblem(String(nameless + 1));
  return isHeaderAgain(named, columns) ? HEADER_AGAIN : null;
}
