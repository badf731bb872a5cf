/** Rows as the parsers make them, and limits on how much of a record is read and kept. */
import type { JsonObject } from '../model/request.ts';
import type { Row } from '../model/row.ts';
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

/** Keeps the text bounded, with U+FFFD for bytes that could not be decoded. */
export function unreadableRow({ row, line }: RowPlace, text: string, problem: string, said?: string[]): Row {
  const kept = text.slice(0, MAX_UNREADABLE_CHARS).replaceAll(BAD_BYTES, '\uFFFD');
  return { kind: 'unreadable', row, line, text: kept, problem, ...(said && { said }) };
}

export const MAX_UNREADABLE_CHARS = 64 * 1024;

/** In characters. A longer record is an unreadable row; in a list of JSON, it refuses the file. */
export const MAX_RECORD_CHARS = 1024 * 1024;

export const TOO_LONG = `longer than ${MAX_RECORD_CHARS} characters: expected a shorter record`;

export const NO_TEXT = "bytes that are no characters in the file's encoding: expected text in that alone";
