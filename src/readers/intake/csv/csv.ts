/**
 * The front door to CSV: tells from a file's head how it is written, and makes rows of what follows
 * the header.
 */
import { unguardCell } from '../../../lib/formula-guard.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import type { Row } from '../../../model/row.ts';
import { createHeaderLook, HEADER_AGAIN, namelessProblem } from '../column-names.ts';
import { createReplyLook } from '../origins.ts';
import { delimiterInReport, isReportText, reportRow } from '../report-file.ts';
import { MAX_RECORD_CHARS, signProblem, TOO_LONG, unreadableRow } from '../row.ts';
import { type FileHead, type ReadFormat, SOURCE_DEFAULTS, type Understanding } from '../row-feed.ts';
import { createCsvReader } from './cells.ts';
import { tellDialect } from './dialect.ts';
import { type CsvDialect, cellsInLine } from './grammar.ts';
import { type CsvHeader, readHeader, readPreamble } from './header.ts';
import type { BadLine, CsvRecord } from './records.ts';
import { createSalvage, type FittingRecord, type Found } from './salvage.ts';
import { createTableShape, type TableShape } from './table-shape.ts';

export function understandCsv(path: string, head: FileHead, given: ReadFormat): Understanding {
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
  const shape = createTableShape(path, header, { ...format, delimiter });
  const feed = createCsvRows(path, preamble.line, header, { dialect, shape });
  return { source, feed, start: preamble.start };
}

/**
 * A report has no title lines and doubles its quotes, whatever its job's definition says of the
 * partner's file. A spreadsheet may have saved it with another delimiter.
 */
function reportFormat(text: string, { header, escape: sign, ...plain }: ReadFormat): ReadFormat {
  return { ...plain, delimiter: delimiterInReport(text, plain.quote) ?? plain.delimiter };
}

/** Takes the text from the header on. UsageError where a quote is never closed. */
function createCsvRows(path: string, line: number, header: CsvHeader, { dialect, shape }: Told) {
  const read = createCsvReader(dialect, line);
  let rows: Row[] = [];
  let count = 0;
  const rowOf = createRecordRow(header);
  const table = createTable(
    header,
    { dialect, shape },
    {
      record: (record) => rows.push(rowOf(++count, record)),
      unreadable: ({ text, line, problem }) =>
        rows.push(unreadableRow({ row: ++count, line }, text, problem)),
    },
  );
  return (chunk: string, final: boolean) => {
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

type Told = { readonly dialect: CsvDialect; readonly shape: TableShape };

function unclosedQuote(path: string, line: number): UsageError {
  return new UsageError(
    `${path}: the quote opened on line ${line} is not closed: expected a ` +
      'closing quote before the end of its cell; add it, or remove the quote',
  );
}

/** A record of separators alone is an empty line. */
function createTable({ width }: CsvHeader, { dialect, shape }: Told, found: Found) {
  const salvage = createSalvage(dialect, width, found);
  return {
    record(record: CsvRecord) {
      const cells = shape.fit(record.cells);
      if (cells !== null && isSeparatorsOnly(cells, record.text, dialect.quote)) return;
      if (cells !== null) {
        shape.fits(record);
        salvage.fits({ ...record, cells });
      } else if (record.text.trim() !== '') {
        shape.misfits(record);
        salvage.misfits({
          ...record,
          cells: record.cells.length,
          problem: shape.problemOf(record),
          isDamaged: false,
        });
      }
    },
    badLine(piece: BadLine) {
      shape.misfits({ line: piece.line, cells: NO_CELLS });
      salvage.misfits({ ...piece, cells: cellsInLine(piece.text, dialect), isDamaged: true });
    },
    end() {
      shape.end();
      salvage.end();
    },
  };
}

/** Of a damaged line: its cells can't be told apart. */
const NO_CELLS: readonly string[] = [];

/** Several empty cells, none in quotes. */
function isSeparatorsOnly(cells: readonly string[], text: string, quote: string): boolean {
  const isEmpty = cells.length > 1 && cells[0] === '' && cells.every((cell) => cell === '');
  return isEmpty && !text.includes(quote);
}

function createRecordRow(header: CsvHeader): (row: number, record: FittingRecord) => Row {
  const { columns, isReport } = header;
  const headerIn = createHeaderLook(columns);
  const isOfReply = createReplyLook(columns);
  return (row, { cells, line, text }) => {
    const named = cells.length === columns.length ? cells : cells.slice(0, columns.length);
    const own = isReport && !isOfReply(named) ? named.map(unguardCell) : named;
    const problem =
      (text.length > MAX_RECORD_CHARS ? TOO_LONG : null) ??
      signProblem(text, own, columns) ??
      namelessCell(cells, columns) ??
      (headerIn(own) === null ? null : HEADER_AGAIN);
    if (problem !== null) return unreadableRow({ row, line }, text, problem);
    if (!isReport) return { kind: 'cells', row, line, cells: own };
    return reportRow({ row, line }, own, columns, text, [], (at) => named[at]?.[0] === "'");
  };
}

function namelessCell(cells: readonly string[], { length }: readonly string[]): string | null {
  const nameless = cells.length === length ? -1 : cells.findIndex((cell, at) => at >= length && cell !== '');
  return nameless === -1 ? null : namelessProblem(String(nameless + 1));
}
