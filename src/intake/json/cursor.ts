/** Moving over JSON text that comes in pieces: the place in the file that messages name, and where a value ends. */
import { UsageError } from '../../lib/usage-error.ts';

/** A place in a file whose text comes in pieces: the index `at` in the text at hand; `line` and `column` (1 = first) in the file. */
export type Cursor = { text: string; at: number; line: number; column: number };

export function newCursor(): Cursor {
  return { text: '', at: 0, line: 1, column: 1 };
}

/** Drops the text before the cursor and adds the next piece. */
export function extend(cursor: Cursor, chunk: string): void {
  cursor.text = cursor.text.slice(cursor.at) + chunk;
  cursor.at = 0;
}

export function moveTo(cursor: Cursor, to: number): void {
  let newline = cursor.text.indexOf('\n', cursor.at);
  while (newline !== -1 && newline < to) {
    cursor.line += 1;
    cursor.column = 1;
    cursor.at = newline + 1;
    newline = cursor.text.indexOf('\n', cursor.at);
  }
  cursor.column += to - cursor.at;
  cursor.at = to;
}

export function skipSpace(cursor: Cursor): void {
  let to = cursor.at;
  while (isSpace(cursor.text.charCodeAt(to))) to += 1;
  if (to > cursor.at) moveTo(cursor, to);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

export function brokenJson(path: string, cursor: Cursor, expected: string): UsageError {
  const found =
    cursor.at >= cursor.text.length ? 'but the file ends there' : 'but something else stands there';
  return new UsageError(
    `${path}, line ${cursor.line}, column ${cursor.column}: broken JSON: expected ${expected}, ${found}; correct the file or export it again`,
  );
}

/** How deep in objects, lists and strings a scan is, so that it can go on in the next stretch of text. */
export type DepthScan = { depth: number; inString: boolean; isEscaped: boolean };

export function newDepthScan(): DepthScan {
  return { depth: 0, inString: false, isEscaped: false };
}

/** Index after the object, list or string that begins at `from` or that the scan is in; -1 where the text ends first. Only checks that brackets balance. */
export function endOfValue(text: string, from: number, scan: DepthScan = newDepthScan()): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (scan.inString) stepInString(scan, code);
    else if (code === QUOTE) scan.inString = true;
    else if (code === BRACE || code === BRACKET) scan.depth += 1;
    else if (code === BRACE_END || code === BRACKET_END) scan.depth -= 1;
    else continue;
    if (scan.depth <= 0 && !scan.inString) return at + 1;
  }
  return -1;
}

function stepInString(scan: DepthScan, code: number): void {
  if (scan.isEscaped) scan.isEscaped = false;
  else if (code === BACKSLASH) scan.isEscaped = true;
  else if (code === QUOTE) scan.inString = false;
}

/** Index after the number or word at `from`, or after one character of anything else; the text's length where the word may go on. */
export function endOfWord(text: string, from: number): number {
  WORD_END.lastIndex = from;
  const end = WORD_END.exec(text)?.index ?? text.length;
  // A closing bracket in the place of a value is taken as a value, and refused as one.
  return Math.max(end, from + 1);
}

const WORD_END = /[,\]}\s]/g;
const QUOTE = 34;
const BRACKET = 91;
const BACKSLASH = 92;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;
