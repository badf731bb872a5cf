import { UsageError } from '../lib/usage-error.ts';

/** A place in a file whose text comes in pieces: `at` in the text at hand; `line` and `column` (1 = first) of that place in the file. */
export type Cursor = { text: string; at: number; line: number; column: number };

/** At the start of a file. */
export function newCursor(): Cursor {
  return { text: '', at: 0, line: 1, column: 1 };
}

/** Lets go of the text before the cursor and adds what comes next. */
export function extend(cursor: Cursor, chunk: string): void {
  cursor.text = cursor.text.slice(cursor.at) + chunk;
  cursor.at = 0;
}

/** Moves on to index `to`, counting lines. */
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

/** Moves past JSON's white space. */
export function skipSpace(cursor: Cursor): void {
  let to = cursor.at;
  while (isSpace(cursor.text.charCodeAt(to))) to += 1;
  if (to > cursor.at) moveTo(cursor, to);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** The file's JSON is broken at the cursor. */
export function brokenJson(path: string, cursor: Cursor, expected: string): UsageError {
  const found =
    cursor.at >= cursor.text.length ? 'but the file ends there' : 'but something else stands there';
  return new UsageError(
    `${path}, line ${cursor.line}, column ${cursor.column}: broken JSON: expected ${expected}, ${found}; mend the file or export it again`,
  );
}
