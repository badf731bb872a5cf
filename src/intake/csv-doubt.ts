import { lenientEnd } from './csv-lenient.ts';
import type { RecordGround } from './csv-lines.ts';
import { isRecordAt, newlineOrEnd, startOfLine } from './csv-lines.ts';
import type { Stray } from './csv-record.ts';
import { cellEndAt } from './csv-record.ts';

/**
 * Where the lines end that may still stand inside the quotes of a damaged record, whose last sure line ends at `lineEnd`;
 * `null` where there are none. While the quotes so far don't pair up, everything up to the next line with a quote may be
 * a part of the cell. A line that is a good record by itself ends the doubt: then a quote was missing.
 */
export function endOfDoubt(ground: RecordGround, stray: Stray, lineEnd: number): number | null {
  if (isComplete(ground, stray, lineEnd)) return null;
  if (!hasOddQuotes(ground, stray.cellStart, lineEnd)) return endOfHiddenCell(ground, stray, lineEnd);
  let end: number | null = null;
  let isOpen = true;
  while (isOpen) {
    const quote = nextQuote(ground, end ?? lineEnd);
    const next = quote === null ? null : newlineOrEnd(ground, quote);
    if (quote === null || next === null) return end;
    const line = startOfLine(ground, quote);
    if (isRecordAt(ground, line)) return end;
    isOpen = !hasOddQuotes(ground, line, next);
    end = next;
  }
  return end;
}

/**
 * One quote too many can hide that a cell is open: the last quote of the line opens it, the next one below closes it,
 * and the separators of its first line and from there on are as many as a record has.
 */
function endOfHiddenCell(ground: RecordGround, stray: Stray, lineEnd: number): number | null {
  const { view, dialect, columns } = ground;
  if (isCellEnd(ground, view.text.lastIndexOf(dialect.quote, lineEnd) + 1)) return null;
  const quote = nextQuote(ground, lineEnd);
  if (quote === null || !isCellEnd(ground, quote + 1)) return null;
  const ending = lenientEnd(view, quote + 1, dialect);
  if (ending === null || isRecordAt(ground, startOfLine(ground, quote))) return null;
  const before = cellsUpTo(ground, stray, lineEnd);
  const isWhole = before < columns && before + ending.cells - 1 === columns;
  return isWhole || isOverLines(ground, stray) ? ending.at : null;
}

/** Whether the line has all the cells of a record, though the damaged one isn't its last: then the damage ends there. */
function isComplete(ground: RecordGround, stray: Stray, lineEnd: number): boolean {
  if (isOverLines(ground, stray) || stray.cells + 1 === ground.columns) return false;
  return cellsUpTo(ground, stray, lineEnd) >= ground.columns;
}

function cellsUpTo({ view, dialect }: RecordGround, stray: Stray, end: number): number {
  return stray.cells + view.text.slice(stray.cellStart, end).split(dialect.delimiter).length;
}

function isOverLines(ground: RecordGround, { at, cellStart }: Stray): boolean {
  return at > (newlineOrEnd(ground, cellStart) ?? at);
}

function isCellEnd({ view, dialect }: RecordGround, at: number): boolean {
  return cellEndAt(view, at, dialect) !== null;
}

function nextQuote({ view, dialect }: RecordGround, from: number): number | null {
  const at = view.text.indexOf(dialect.quote, from);
  return at === -1 || at >= view.end ? null : at;
}

function hasOddQuotes({ view, dialect }: RecordGround, from: number, to: number): boolean {
  let isOdd = false;
  let at = view.text.indexOf(dialect.quote, from);
  while (at !== -1 && at < to) {
    isOdd = !isOdd;
    at = view.text.indexOf(dialect.quote, at + 1);
  }
  return isOdd;
}
