/**
 * The front door to CSV: tells from a file's head how it is written, and makes rows of what follows
 * the header. Records come cut (records.ts) and parsed (cells.ts); what doesn't fit the header goes
 * through salvage.ts.
 */
import type { Format } from '../../config/job-definition.ts';
import { unguardCell } from '../../lib/formula-guard.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { HEADER_AGAIN, isHeaderAgain } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { delimiterInReport, isReportText, reportRow } from '../report-file.ts';
import { NOT_UTF8, unreadableRow } from '../row.ts';
import { type FileHead, type RowFeed, TEXT_SOURCE, type Understanding } from '../row-feed.ts';
import { createCellParser } from './cells.ts';
import { tellDialect } from './dialect.ts';
import { type CsvDialect, cellsInLine } from './grammar.ts';
import { type CsvHeader, readHeader, readPreamble } from './header.ts';
import { type BadLine, type CsvRecords, createCsvSplitter, withoutLineEnd } from './records.ts';
import { createSalvage, type FittingRecord, type Found, type Misfit } from './salvage.ts';

/** UsageError where the head doesn't show how to read the file, or the header is broken. */
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
  return { source, feed: createCsvRows(path, header, dialect), start: header.end };
}

/**
 * A report has no title lines and doubles its quotes, whatever its job's definition says of the
 * partner's file. A spreadsheet may have saved it with another delimiter.
 */
function reportFormat(text: string, { header, escape: sign, ...plain }: Format): Format {
  return { ...plain, delimiter: delimiterInReport(text, plain.quote) ?? plain.delimiter };
}

/** UsageError where a quote is never closed. */
function createCsvRows(path: string, header: CsvHeader, dialect: CsvDialect): RowFeed {
  const split = createCsvSplitter(dialect, header.line);
  const parse = createCellParser(dialect);
  let rows: Row[] = [];
  let count = 0;
  const table = createTable(header, dialect, {
    record: (record) => rows.push(recordRow(++count, record, header)),
    unreadable: ({ text, line, problem }) => rows.push(unreadableRow({ row: ++count, line }, text, problem)),
  });
  return (chunk, final) => {
    rows = [];
    for (const piece of split(chunk, final)) {
      if (piece.kind === 'unclosed') throw unclosedQuote(path, piece.line);
      if (piece.kind === 'bad') table.badLine(piece);
      else table.records(piece, parse(piece));
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
  const fits = (record: FittingRecord) => {
    isAfterEmpty = isSeparatorsOnly(record, dialect.quote);
    if (!isAfterEmpty) salvage.fits(record);
  };
  return {
    records(piece: CsvRecords, records: readonly string[][]) {
      // Splitter and parser follow one grammar; no row may be sent under a wrong number.
      if (records.length !== piece.starts.length) {
        throw new Error(`cut ${piece.starts.length} records, but csv-parse reads ${records.length}`);
      }
      const mayBeBad = piece.text.includes(BAD_BYTES);
      for (const [i, cells] of records.entries()) {
        const line = piece.lines[i] ?? 0;
        if (cells.length === width) fits({ cells, line, mayBeBad, text: () => recordText(piece, i) });
        else if (recordText(piece, i).trim() !== '')
          misfits(wrongLength(piece, i, { cells: cells.length, width }));
      }
    },
    badLine: (piece: BadLine) =>
      misfits({ ...piece, cells: cellsInLine(piece.text, dialect), isDamaged: true }),
    end: salvage.end,
  };
}

/** Several empty cells, none in quotes. */
function isSeparatorsOnly({ cells, text }: FittingRecord, quote: string): boolean {
  const isEmpty = cells.length > 1 && cells[0] === '' && cells.every((cell) => cell === '');
  return isEmpty && !text().includes(quote);
}

function recordText(piece: CsvRecords, index: number): string {
  return withoutLineEnd(piece.text.slice(piece.starts[index], piece.starts[index + 1]));
}

function wrongLength(
  piece: CsvRecords,
  index: number,
  { cells, width }: { readonly cells: number; readonly width: number },
): Misfit {
  return {
    text: recordText(piece, index),
    line: piece.lines[index] ?? 0,
    cells,
    problem: `${cells} ${cells === 1 ? 'cell' : 'cells'} where the header has ${width}`,
    isAfterBlank: piece.afterBlank.has(index),
    isDamaged: false,
  };
}

function recordRow(row: number, record: FittingRecord, header: CsvHeader): Row {
  const { columns, isReport } = header;
  const { cells, line, text } = record;
  const named = cells.length === columns.length ? cells : cells.slice(0, columns.length);
  const own = isReport ? named.map(unguardCell) : named;
  const problem = recordProblem(record, own, columns);
  if (problem !== null) return unreadableRow({ row, line }, text(), problem);
  return isReport ? reportRow({ row, line }, own, columns, text()) : { kind: 'cells', row, line, cells: own };
}

function recordProblem(
  { cells, text, mayBeBad }: FittingRecord,
  named: readonly string[],
  columns: readonly string[],
): string | null {
  if (mayBeBad && text().includes(BAD_BYTES)) return NOT_UTF8;
  const nameless =
    cells.length === columns.length ? -1 : cells.findIndex((cell, i) => i >= columns.length && cell !== '');
  // A row with one separator too many in its text would have its last cell there.
  if (nameless !== -1) return `column ${nameless + 1} has no name in the header: ${NOTHING_THERE}`;
  return isHeaderAgain(named, columns) ? HEADER_AGAIN : null;
}

const NOTHING_THERE =
  'expected nothing in it, since a row with a separator too many would look the same; name the column, or correct the row';
