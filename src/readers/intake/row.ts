/** Rows as the parsers make them, and limits on how much of a record is read and kept. */
import type { JsonObject } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import { BAD_BYTES } from './decode.ts';

/** A record's number and the line it starts on, both from 1. */
export type RowPlace = { readonly row: number; readonly line: number };

/** `typed`: positions of cells that a workbook held as numbers, dates or booleans. */
export function cellsRow({ row, line }: RowPlace, cells: string[], typed: readonly number[]): Row {
  return {
    kind: 'cells',
    row,
    line,
    cells,
    ...(typed.length === 0 ? {} : { typed: [...typed] }),
  };
}

export function recordObject(text: string): JsonObject {
  const record: JsonObject = JSON.parse(text);
  return record;
}

/** Keeps the text bounded, and says so; U+FFFD stands for what is no text. */
export function unreadableRow({ row, line }: RowPlace, text: string, problem: string, said?: string[]): Row {
  const kept = text
    .slice(0, MAX_UNREADABLE_CHARS)
    .replaceAll(BAD_BYTES, '\uFFFD')
    .replaceAll(new RegExp(CONTROL_SIGNS, 'gv'), '\uFFFD');
  const cut = text.length > MAX_UNREADABLE_CHARS ? `; ${TEXT_CUT}` : '';
  return { kind: 'unreadable', row, line, text: kept, problem: problem + cut, ...(said && { said }) };
}

export const MAX_UNREADABLE_CHARS = 64 * 1024;

const TEXT_CUT = `of its text the first ${MAX_UNREADABLE_CHARS} characters are kept`;

/** In characters. A longer record is an unreadable row; in a list of JSON, it refuses the file. */
export const MAX_RECORD_CHARS = 1024 * 1024;

export const TOO_LONG = `longer than ${MAX_RECORD_CHARS} characters: expected a shorter record`;

export const NO_TEXT = "bytes that are no characters in the file's encoding: expected text in that alone";

/** What no text has; some programs write a vertical tab for a line end in a cell. */
const CONTROL_SIGNS = String.raw`[\p{Cc}--[\t\n\v\r]]`;
const CONTROL = new RegExp(CONTROL_SIGNS, 'v');

/** Why a row of such cells is no text; `null`: it is one. `text`: all of the row, as it stands. */
export function signProblem(
  text: string,
  cells: readonly string[],
  columns: readonly string[],
): string | null {
  if (text.includes(BAD_BYTES)) return NO_TEXT;
  return CONTROL.test(text)
    ? controlProblem(text, columns[cells.findIndex((cell) => CONTROL.test(cell))])
    : null;
}

export function controlProblem(text: string, column?: string): string | null {
  const [sign] = CONTROL.exec(text) ?? [];
  if (sign === undefined) return null;
  const code = sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const place = column === undefined ? '' : ` in column "${column}"`;
  return (
    `the control character U+${code}${place}: expected text ` +
    'without such signs, tabs and line breaks aside; take it out'
  );
}
