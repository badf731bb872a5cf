import type { CsvDialect } from './csv-dialect.ts';
import { indexOfNewline } from './csv-dialect.ts';
import type { TextView } from './csv-record.ts';
import { cellEndAt, closingQuote, endAfterQuote } from './csv-record.ts';

/** Where the record ends when quotes in the middle of its cells are taken as they stand, and how many cells end from `from` on. */
export function lenientEnd(
  view: TextView,
  from: number,
  dialect: CsvDialect,
): { readonly at: number; readonly cells: number } | null {
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
