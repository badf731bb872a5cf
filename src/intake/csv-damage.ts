import type { CsvDialect } from './csv-dialect.ts';
import { indexOfNewline } from './csv-dialect.ts';
import type { Stray, TextView } from './csv-record.ts';
import { cellEndAt, closingQuote, cutRecord, endAfterQuote } from './csv-record.ts';

/**
 * Where a record with a stray quote ends: the index of its line end, the end of the file, or `null` where the stretch ends first.
 * As a rule that is the line on which the damaged cell starts, so that the records after it aren't swallowed.
 * Its own further lines belong to it too, or they could come out as records of their own:
 * - those of a later quoted cell, where that cell is closed properly;
 * - those of a damaged cell of several lines, where its quotes are unescaped (the line of the stray quote is no record
 *   by itself; if it is, the closing quote is missing) and the cells come out at `columns` that way.
 *   Where they don't, nothing tells the two apart, and a line of such a cell that has `columns` cells is read as a record.
 */
export function endOfDamage(
  view: TextView,
  stray: Stray,
  dialect: CsvDialect,
  columns: number,
): number | null {
  const lineEnd = newlineOrEnd(view, stray.cellStart, dialect);
  const isOneLine = lineEnd === null || stray.at < lineEnd;
  if (isOneLine) return lenientEnd(view, stray.at + 1, dialect)?.at ?? lineEnd;
  if (isRecordAt(view, startOfLine(view, stray.at, dialect), dialect, columns)) return lineEnd;
  const close = nextClosing(view, stray.at, dialect);
  const ending = close === null ? null : lenientEnd(view, close + 1, dialect);
  return ending !== null && stray.cells + ending.cells === columns ? ending.at : lineEnd;
}

/** Where the record ends when quotes in the middle of its cells are taken as they stand, and how many cells end from `from` on. */
function lenientEnd(view: TextView, from: number, dialect: CsvDialect): { at: number; cells: number } | null {
  let ending = nextCellEnd(view, from, dialect);
  let cells = 1;
  while (ending !== null && ending.kind === 'delimiter') {
    ending = endOfLenientCell(view, ending.at + 1, dialect);
    cells += 1;
  }
  return ending === null ? null : { at: ending.at, cells };
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
