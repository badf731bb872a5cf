import type { CsvDialect } from './csv-dialect.ts';
import { indexOfNewline } from './csv-dialect.ts';
import type { Stray, TextView } from './csv-record.ts';
import { cellEndAt, closingQuote, cutRecord, endAfterQuote } from './csv-record.ts';

/**
 * Where a record with a stray quote ends: the index of its line end, the end of the file, or `null` where the stretch ends first.
 * What is left of it must neither swallow the records after it nor come out as a record of its own, so:
 * - as a rule it ends with the line on which the damaged cell starts;
 * - it takes in further lines only where its cells come out at `columns` that way: line breaks in a later quoted cell,
 *   or unescaped quotes in a cell of several lines. For the latter the line of the stray quote must not be a
 *   record by itself: then the closing quote is missing, and that line is none of this record's.
 */
export function endOfDamage(
  view: TextView,
  stray: Stray,
  dialect: CsvDialect,
  columns: number,
): number | null {
  const lineEnd = newlineOrEnd(view, stray.cellStart, dialect);
  const sameLine = lineEnd === null || stray.at < lineEnd;
  if (sameLine)
    return lenientEnd(view, { at: stray.at + 1, cells: stray.cells }, dialect, columns) ?? lineEnd;
  if (isRecordAt(view, startOfLine(view, stray.at, dialect), dialect, columns)) return lineEnd;
  const close = nextClosing(view, stray.at, dialect);
  if (close === null) return lineEnd;
  return lenientEnd(view, { at: close + 1, cells: stray.cells }, dialect, columns) ?? lineEnd;
}

/** The record's end when quotes in the middle of its unquoted cells are taken as they stand; `null` unless it has `columns` cells. */
function lenientEnd(
  view: TextView,
  from: { readonly at: number; readonly cells: number },
  dialect: CsvDialect,
  columns: number,
): number | null {
  let ending = nextCellEnd(view, from.at, dialect);
  let cells = from.cells + 1;
  while (ending !== null && ending.kind === 'delimiter') {
    ending = endOfLenientCell(view, ending.at + 1, dialect);
    cells += 1;
  }
  return ending !== null && cells === columns ? ending.at : null;
}

function endOfLenientCell(view: TextView, start: number, dialect: CsvDialect) {
  if (view.text.charAt(start) !== dialect.quote) return nextCellEnd(view, start, dialect);
  const close = closingQuote(view, start, dialect.quote);
  if (close === -1) return null;
  const ending = endAfterQuote(view, close, dialect);
  if (ending !== 'stray') return ending;
  // A quoted cell that is damaged too may not lead past its line.
  return indexOfNewline(view.text.slice(start, close), 0, dialect.newline) === -1
    ? nextCellEnd(view, close + 1, dialect)
    : null;
}

function nextCellEnd(view: TextView, from: number, dialect: CsvDialect) {
  for (let at = from; at <= view.end; at += 1) {
    const ending = cellEndAt(view, at, dialect);
    if (ending !== null) return ending;
  }
  return null;
}

/** The next quote that a cell end follows. */
function nextClosing(view: TextView, from: number, dialect: CsvDialect): number | null {
  let at = view.text.indexOf(dialect.quote, from + 1);
  while (at !== -1 && at < view.end) {
    if (cellEndAt(view, at + 1, dialect) !== null) return at;
    at = view.text.indexOf(dialect.quote, at + 1);
  }
  return null;
}

function isRecordAt(view: TextView, start: number, dialect: CsvDialect, columns: number): boolean {
  const cut = cutRecord(view, start, dialect);
  return cut.kind === 'record' && cut.cells === columns;
}

function startOfLine(view: TextView, at: number, dialect: CsvDialect): number {
  const lf = view.text.lastIndexOf('\n', at);
  return 1 + (dialect.newline === 'lf' ? lf : Math.max(lf, view.text.lastIndexOf('\r', at)));
}

function newlineOrEnd(view: TextView, from: number, dialect: CsvDialect): number | null {
  const at = indexOfNewline(view.text, from, dialect.newline);
  if (at !== -1 && at < view.end) return at;
  return view.final ? view.end : null;
}
