/** How a CSV file is written. */
export type CsvDialect = {
  /** One character. */
  readonly delimiter: string;
  /** One character; inside a quoted cell it is doubled (RFC 4180, 2.7). */
  readonly quote: string;
  /** `lf`: records end with LF or CRLF, a lone CR belongs to the cell. `cr`: a lone CR ends a record too. */
  readonly newline: 'lf' | 'cr';
  /** Spaces around cells are no part of them. */
  readonly trim: boolean;
  /** A line that begins with this character, where a record could begin, is passed over; `null`: none is. */
  readonly comment: string | null;
};

/** The kind of line end, told by the first one outside quotes at or after `from`. */
export function detectNewline(text: string, quote: string, from: number): CsvDialect['newline'] {
  let quoted = false;
  for (let i = from; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === quote) quoted = !quoted;
    else if (!quoted && char === '\n') return 'lf';
    else if (!quoted && char === '\r') return text.charAt(i + 1) === '\n' ? 'lf' : 'cr';
  }
  return 'lf';
}

/** Index of the next line end at or after `from`, or -1. */
export function indexOfNewline(text: string, from: number, newline: CsvDialect['newline']): number {
  if (newline === 'lf') return text.indexOf('\n', from);
  // Not two indexOf: a character that never comes would be looked for to the end of the text, once per record.
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CR || code === LF) return at;
  }
  return -1;
}

/** Index after the line end that stands at `at`. */
export function afterNewline(text: string, at: number): number {
  return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}

/** How many line ends there are in `text` from `from` up to `to`. */
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

const LF = 10;
const CR = 13;
