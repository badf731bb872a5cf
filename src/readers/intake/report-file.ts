/**
 * Report files that are loaded again, such as a corrected `failed.csv`: how one is recognised, and
 * what it says of its own rows. The job's definition speaks of the partner's file.
 */
import { z } from 'zod';
import { readTyped } from '../../lib/typed-cells.ts';
import type { Row } from '../../model/row.ts';
import {
  REPORT_COLUMN_PREFIX,
  REPORT_MEMBER,
  REPORT_ROW_COLUMN,
  REPORT_TEXT_COLUMN,
  REPORT_TYPED_COLUMN,
} from '../../model/source.ts';
import { cellsUnder, membersOf } from './origins.ts';
import { cellsRow, type RowPlace, unreadableRow } from './row.ts';

export function isReport(text: string): boolean {
  return isReportText(text) || text.includes(`"${REPORT_MEMBER}"`);
}

export function isReportText(text: string): boolean {
  return firstLineOf(text).includes(REPORT_ROW_COLUMN);
}

function firstLineOf(text: string): string {
  return text.slice(0, text.search(/[\r\n]|$/));
}

/** The sign before the report's own column, whatever cuts its other cells; `null`: none. */
export function delimiterInReport(text: string, quote: string): string | null {
  const before = firstLineOf(text).split(REPORT_ROW_COLUMN)[0] ?? '';
  const isQuoted = before.endsWith(quote) || before.endsWith('"');
  const sign = before.at(isQuoted ? -2 : -1) ?? '';
  return /^[^\p{L}\p{N}\p{Cf}_ ]$/u.test(sign) ? sign : null;
}

/** `isText`: somebody wrote it as text. */
export function reportRow(
  place: RowPlace,
  cells: string[],
  columns: readonly string[],
  text: string,
  typed: readonly number[],
  isText: (at: number) => boolean,
): Row {
  const told = cellIn(REPORT_TYPED_COLUMN, cells, columns);
  const unchanged = told === '' ? [] : readTyped(told, cells, columns);
  if (unchanged === null) return unreadableRow(place, text, NOT_TYPED, cellsUnder(columns)(cells));
  const kept = unchanged.filter((at) => !isText(at) || /\D/.test(cells[at] ?? ''));
  return unreadInReport(place, cells, columns) ?? cellsRow(place, cells, [...new Set([...typed, ...kept])]);
}

function cellIn(column: string, cells: readonly string[], columns: readonly string[]): string {
  return cells[columns.indexOf(column)] ?? '';
}

/**
 * A row that was unreadable when the report was written, as long as nobody has filled its cells
 * from its text; `null`: any other row.
 */
function unreadInReport(place: RowPlace, cells: readonly string[], columns: readonly string[]): Row | null {
  const text = cellIn(REPORT_TEXT_COLUMN, cells, columns);
  const isFilled = (cell: string, at: number) =>
    cell !== '' && columns[at]?.startsWith(REPORT_COLUMN_PREFIX) === false;
  if (text === '' || cells.some(isFilled)) return null;
  return unreadableRow(place, text, STILL_EMPTY, cellsUnder(columns)(cells));
}

const STILL_EMPTY = `"${REPORT_TEXT_COLUMN}" alone: expected its text in the cells of the row`;

const STILL_UNREAD = `"${REPORT_MEMBER}" alone: expected the members of the record that its "text" should have been`;

/** A record that was unreadable then, as long as nobody has written its members; else `null`. */
export function unreadRecord(place: RowPlace, text: string): Row | null {
  if (!text.includes(REPORT_MEMBER)) return null;
  const parsed = unreadSchema.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  return unreadableRow(place, parsed.data[REPORT_MEMBER].text, STILL_UNREAD, membersOf(text));
}

const unreadSchema = z.strictObject({
  [REPORT_MEMBER]: z.looseObject({ text: z.string() }),
});

const NOT_TYPED = `column "${REPORT_TYPED_COLUMN}": expected it as the report had it; restore it, or empty it`;
