/**
 * How far the damage of a stray quote reaches. With a quote too many or too few, a reader would swallow the records below,
 * or take the lines of a damaged cell for records, and send them. Here the lines below decide where the damaged record
 * ends, and lines that may or may not belong to it are reported as doubtful instead of read.
 */
import {
  afterNewline,
  type CsvDialect,
  cellEndAt,
  cutRecord,
  indexOfNewline,
  indexOfQuote,
  lenientEnd,
  type Stray,
  type TextView,
} from './grammar.ts';

type Damage = {
  /** Index of the damaged record's line end, or of the end of the file; `null` where the stretch ends first. */
  readonly at: number | null;
  /** Index of the end of the last doubtful line, one that may belong to the record too; 0 where there is none. */
  readonly doubtful: number;
};

/**
 * Where a record with a stray quote ends. As a rule that is the line on which the damaged cell starts, so that the
 * records after it aren't swallowed. Its own further lines belong to it too, or they could come out as records:
 * - those of a later quoted cell, where that cell is closed properly;
 * - those of a damaged cell of several lines, where its quotes are unescaped (the line of the stray quote is no record
 *   by itself; if it is, the closing quote is missing) and the cells come out at `columns` that way.
 * Where nothing tells the two apart, the lines up to the one that closes the quotes are doubtful.
 */
export function endOfDamage(ground: RecordGround, stray: Stray): Damage {
  const lineEnd = newlineOrEnd(ground, stray.cellStart);
  return lineEnd === null || stray.at < lineEnd
    ? damageInOneLine(ground, stray, lineEnd)
    : damageOverLines(ground, stray, lineEnd);
}

function damageInOneLine(ground: RecordGround, stray: Stray, lineEnd: number | null): Damage {
  const at = lenientEnd(ground.view, stray.at + 1, ground.dialect)?.at ?? lineEnd;
  // The record may end at the CR of its CRLF.
  if (at === null || lineEnd === null || at > lineEnd || !mayOpen(ground, stray)) return { at, doubtful: 0 };
  return { at, doubtful: endOfDoubt(ground, stray, lineEnd) ?? 0 };
}

/**
 * Whether the damaged cell may have been meant as a quoted cell. Not where its quote ends the cell, nor where the quote
 * stands for inches or seconds: behind a digit, with no letter or digit after it.
 */
function mayOpen({ view, dialect }: RecordGround, { cellStart, at }: Stray): boolean {
  const before = view.text.slice(cellStart, at).trimStart();
  if (before === '' || before.startsWith(dialect.quote)) return true;
  if (cellEndAt(view, at + 1, dialect) !== null) return false;
  return !/\d$/.test(before) || /[\p{L}\p{N}]/u.test(view.text.charAt(at + 1));
}

function damageOverLines(ground: RecordGround, stray: Stray, lineEnd: number): Damage {
  const { view, dialect, columns } = ground;
  const strayLine = startOfLine(ground, stray.at);
  if (isRecordAt(ground, strayLine)) {
    return { at: lineEnd, doubtful: endOfUnclosed(ground, stray, { lineEnd, until: strayLine }) ?? 0 };
  }
  const close = nextClosing(view, stray.at, dialect);
  const ending = close === null ? null : lenientEnd(view, close + 1, dialect);
  if (ending !== null && stray.cells + ending.cells === columns) return { at: ending.at, doubtful: 0 };
  if (isWholeLine(ground, stray)) return { at: lineEnd, doubtful: 0 };
  const strayEnd = newlineOrEnd(ground, stray.at) ?? view.end;
  return { at: lineEnd, doubtful: endOfDoubt(ground, stray, strayEnd) ?? strayEnd };
}

function nextClosing(view: TextView, from: number, dialect: CsvDialect): number | null {
  let at = indexOfQuote(view.text, from + 1, dialect);
  while (at !== -1 && at < view.end) {
    if (cellEndAt(view, at + 1, dialect) !== null) return at;
    at = indexOfQuote(view.text, at + 1, dialect);
  }
  return null;
}

/** From the end of a damaged record's first line to the start of the next good record. */
type Between = { readonly lineEnd: number; readonly until: number };

/** A record whose end isn't found within so many lines is taken to have one line: it would swallow too many good records. */
const MOST_LINES = 50;

/**
 * Where a record ends whose closing quote is missing while a good record starts at `until`: on its first line where its
 * cells are complete there (`null`), else on the first line that completes them, else with the record at `until`.
 */
function endOfUnclosed(ground: RecordGround, stray: Stray, between: Between): number | null {
  if (isWholeLine(ground, stray)) return null;
  return stray.cells + 1 === ground.columns
    ? endOfTornLines(ground, between)
    : endOfCells(ground, stray, between);
}

/** Whether the first line of a damaged cell has the rest of the record's cells, so that the cell isn't the last one. */
function isWholeLine({ view, dialect, columns }: RecordGround, stray: Stray): boolean {
  const wanted = columns - stray.cells;
  // There are more cells than wanted where separators stand in the cell that isn't closed.
  return wanted > 1 && (lenientEnd(view, stray.cellStart + 1, dialect)?.cells ?? 0) >= wanted;
}

function endOfCells(ground: RecordGround, stray: Stray, { lineEnd, until }: Between): number | null {
  const { view, dialect, columns } = ground;
  let line = afterNewline(view.text, lineEnd);
  for (let n = 0; line < until && n < MOST_LINES; n += 1) {
    const cut = cutRecord(view, line, dialect);
    if (cut.kind === 'record' && cut.cells === columns - stray.cells) return cut.end;
    line = afterNewline(view.text, newlineOrEnd(ground, line) ?? until);
  }
  const last = cutRecord(view, until, dialect);
  return line < until || last.kind !== 'record' ? null : last.end;
}

/** The end of a damaged last cell, which has no separators behind it to count: its last line that is no record by itself. */
function endOfTornLines(ground: RecordGround, { lineEnd, until }: Between): number | null {
  let end: number | null = null;
  let line = afterNewline(ground.view.text, lineEnd);
  for (let n = 0; line < until && n < MOST_LINES; n += 1) {
    const next = newlineOrEnd(ground, line) ?? until;
    if (!isRecordAt(ground, line)) end = next;
    line = afterNewline(ground.view.text, next);
  }
  return end;
}

/**
 * Where the lines end that may still stand inside the quotes of a damaged record, whose last sure line ends at `lineEnd`;
 * `null` where there are none. While the quotes so far don't pair up, everything up to the next line with a quote may be
 * a part of the cell. A line that is a good record by itself ends the doubt: then a quote was missing.
 */
function endOfDoubt(ground: RecordGround, stray: Stray, lineEnd: number): number | null {
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

/** Whether the line has all the cells of a record, though the damaged one isn't its last: then the damage ends there. */
function isComplete(ground: RecordGround, stray: Stray, lineEnd: number): boolean {
  if (isOverLines(ground, stray) || stray.cells + 1 === ground.columns) return false;
  return cellsUpTo(ground, stray, lineEnd) >= ground.columns;
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
  const at = indexOfQuote(view.text, from, dialect);
  return at === -1 || at >= view.end ? null : at;
}

function hasOddQuotes({ view, dialect }: RecordGround, from: number, to: number): boolean {
  let isOdd = false;
  let at = indexOfQuote(view.text, from, dialect);
  while (at !== -1 && at < to) {
    isOdd = !isOdd;
    at = indexOfQuote(view.text, at + 1, dialect);
  }
  return isOdd;
}

/** A stretch of a file with how its records are written and how many cells they have. */
type RecordGround = {
  readonly view: TextView;
  readonly dialect: CsvDialect;
  readonly columns: number;
};

function isRecordAt({ view, dialect, columns }: RecordGround, start: number): boolean {
  const cut = cutRecord(view, start, dialect);
  return cut.kind === 'record' && cut.cells === columns;
}

function startOfLine({ view, dialect }: RecordGround, at: number): number {
  const lf = view.text.lastIndexOf('\n', at);
  return 1 + (dialect.newline === 'lf' ? lf : Math.max(lf, view.text.lastIndexOf('\r', at)));
}

function newlineOrEnd({ view, dialect }: RecordGround, from: number): number | null {
  const at = indexOfNewline(view.text, from, dialect.newline);
  if (at !== -1 && at < view.end) return at;
  return view.final ? view.end : null;
}
