/**
 * The grammar of RFC 4180: where lines, cells and records end, and where a quote stands that may
 * not. What can't be decided yet is returned as such, so block boundaries never change a record.
 */

export type CsvDialect = {
  /** One character. */
  readonly delimiter: string;
  /** One character; inside a quoted cell doubled (RFC 4180, 2.7) or behind `escape`. */
  readonly quote: string;
  /** One character, not the quote; before a quote or itself. `null`: quotes are doubled. */
  readonly escape: string | null;
  /** `lf`: records end with LF or CRLF, a lone CR is text. `cr`: a lone CR ends one too. */
  readonly newline: 'lf' | 'cr';
  /** Spaces around a cell are no part of it. */
  readonly trim: boolean;
};

/** A definition or a `sep=` line may write a tab as a backslash and a t. */
export function delimiterOf(sign: string): string {
  return sign === '\\t' ? '\t' : sign;
}

/** By the first line end outside quotes at or after `from`. */
export function detectNewline(
  text: string,
  dialect: Pick<CsvDialect, 'quote' | 'escape'>,
  from: number,
): CsvDialect['newline'] {
  const { quote } = dialect;
  let quoted = false;
  for (let i = from; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (quoted && char === dialect.escape) i += 1;
    else if (char === quote) quoted = !quoted;
    else if (!quoted && char === '\n') return 'lf';
    else if (!quoted && char === '\r') return text.charAt(i + 1) === '\n' ? 'lf' : 'cr';
  }
  return 'lf';
}

/** -1: there is none. */
export function indexOfNewline(text: string, from: number, newline: CsvDialect['newline']): number {
  if (newline === 'lf') return text.indexOf('\n', from);
  // Not two calls of indexOf: one would search to the end of the text for each record.
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CR || code === LF) return at;
  }
  return -1;
}

/** The text's end where there is none. */
export function indexOrEnd(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at === -1 ? text.length : at;
}

export function afterNewline(text: string, at: number): number {
  return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}

export function countNewlines(
  text: string,
  range: { from: number; to: number },
  newline: CsvDialect['newline'],
): number {
  let count = 0;
  let at = indexOfNewline(text, range.from, newline);
  while (at !== -1 && at < range.to) {
    count += 1;
    at = indexOfNewline(text, afterNewline(text, at), newline);
  }
  return count;
}

/** `text` up to `end`; `final`: the file ends there. */
type TextView = { readonly text: string; readonly end: number; readonly final: boolean };

type Cut =
  /** `next`: the index after its line end. */
  | { readonly kind: 'record'; readonly next: number }
  /** A quote at `at`, where none may stand, behind `cells` whole cells. */
  | { readonly kind: 'stray'; readonly at: number; readonly cells: number }
  /** The stretch ends inside the quotes opened at `quote`. */
  | { readonly kind: 'open'; readonly quote: number }
  /** The stretch ends inside a record. */
  | { readonly kind: 'part' };

/** As csv-parse reads without its relaxed options: quotes only around a whole cell. */
export function cutRecord(view: TextView, start: number, dialect: CsvDialect): Cut {
  let cellStart = start;
  for (let cells = 0; ; cells += 1) {
    const cut = cutCell(view, cellStart, dialect);
    switch (cut.kind) {
      case 'delimiter':
        cellStart = cut.at + 1;
        break;
      case 'newline':
        return { kind: 'record', next: afterNewline(view.text, cut.at) };
      case 'end':
        return { kind: 'record', next: cut.at };
      case 'stray':
        return { kind: 'stray', at: cut.at, cells };
      default:
        return cut;
    }
  }
}

/** From the first damaged cell on, each delimiter ends one. */
export function cellsInLine(line: string, dialect: CsvDialect): number {
  const view = { text: line, end: line.length, final: true };
  let start = 0;
  let cut = cutCell(view, start, dialect);
  let cells = 0;
  for (; cut.kind === 'delimiter'; cells += 1) {
    start = cut.at + 1;
    cut = cutCell(view, start, dialect);
  }
  return cells + line.slice(start).split(dialect.delimiter).length;
}

type CellCut =
  | NonNullable<CellEnd>
  | { readonly kind: 'stray'; readonly at: number }
  | Extract<Cut, { kind: 'open' | 'part' }>;

function cutCell(view: TextView, start: number, dialect: CsvDialect): CellCut {
  const open = skipBlanks(view, start, dialect);
  if (open >= view.end || view.text.charAt(open) !== dialect.quote) return cutBare(view, open, dialect);
  const close = closingQuote(view, open, dialect);
  const ending = close === -1 ? null : endAfterQuote(view, close, dialect);
  if (ending === 'stray') return { kind: 'stray', at: close };
  return ending ?? { kind: 'open', quote: open };
}

function cutBare(view: TextView, start: number, dialect: CsvDialect): CellCut {
  const quote = dialect.quote.charCodeAt(0);
  const delimiter = dialect.delimiter.charCodeAt(0);
  for (let at = start; at < view.end; at += 1) {
    const code = view.text.charCodeAt(at);
    if (code === quote) return { kind: 'stray', at };
    if (code !== delimiter && code !== LF && code !== CR) continue;
    const ending = cellEndAt(view, at, dialect);
    if (ending !== null) return ending;
  }
  return view.final ? { kind: 'end', at: view.end } : { kind: 'part' };
}

/** -1: the stretch ends first. */
function closingQuote(view: TextView, open: number, dialect: CsvDialect): number {
  const { quote } = dialect;
  if (dialect.escape !== null) {
    const close = indexOfQuote(view.text, open + 1, dialect);
    return close < view.end ? close : -1;
  }
  let at = view.text.indexOf(quote, open + 1);
  while (at !== -1 && at < view.end) {
    if (at + 1 >= view.end) return view.final ? at : -1;
    if (view.text.charAt(at + 1) !== quote) return at;
    at = view.text.indexOf(quote, at + 2);
  }
  return -1;
}

/** The next quote without an escape before it, or -1. */
function indexOfQuote(text: string, from: number, { quote, escape: sign }: CsvDialect): number {
  let at = text.indexOf(quote, from);
  while (sign !== null && at !== -1 && isEscaped(text, at, from, sign)) at = text.indexOf(quote, at + 1);
  return at;
}

/** An escaped escape is text. */
function isEscaped(text: string, at: number, from: number, sign: string): boolean {
  let before = at;
  while (before > from && text.charAt(before - 1) === sign) before -= 1;
  return (at - before) % 2 === 1;
}

function endAfterQuote(view: TextView, close: number, dialect: CsvDialect): CellEnd | 'stray' {
  const at = skipBlanks(view, close + 1, dialect);
  return cellEndAt(view, at, dialect) ?? (at >= view.end ? null : 'stray');
}

/** `null`: the stretch ends first. */
type CellEnd = { readonly kind: 'delimiter' | 'newline' | 'end'; readonly at: number } | null;

/** `null`: no cell ends there, or that can't be decided yet. */
function cellEndAt(view: TextView, at: number, dialect: CsvDialect): CellEnd {
  if (at >= view.end) return view.final ? { kind: 'end', at: view.end } : null;
  const code = view.text.charCodeAt(at);
  if (code === dialect.delimiter.charCodeAt(0)) return { kind: 'delimiter', at };
  if (code === LF) return { kind: 'newline', at };
  if (code !== CR) return null;
  return dialect.newline === 'cr' || view.text.charCodeAt(at + 1) === LF ? { kind: 'newline', at } : null;
}

function skipBlanks(view: TextView, from: number, dialect: CsvDialect): number {
  if (!dialect.trim) return from;
  let at = from;
  while (at < view.end && isBlank(view.text.charAt(at), dialect)) at += 1;
  return at;
}

function isBlank(char: string, dialect: CsvDialect): boolean {
  if (char === '\n' || char === '\r' || char === dialect.delimiter) return false;
  return char.trim() === '';
}

export const LF = 10;
export const CR = 13;
