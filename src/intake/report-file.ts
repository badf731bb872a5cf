/**
 * Report files that are loaded again, such as a corrected `failed.csv`. The job's definition speaks
 * of the partner's file: its encoding, delimiter and title lines don't hold for a report. How a
 * report is recognised, and what it says of its own rows, is decided here.
 */
import { z } from 'zod';
import { readTyped } from '../lib/typed-cells.ts';
import type { Row } from '../model/row.ts';
import {
  REPORT_COLUMN_PREFIX,
  REPORT_MEMBER,
  REPORT_ROW_COLUMN,
  REPORT_TEXT_COLUMN,
  REPORT_TYPED_COLUMN,
} from '../model/source.ts';
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

/** Unchanged cells that the workbook held typed, by the report's column; `null`: can't be told. */
export function typedInReport(
  cells: readonly string[],
  columns: readonly string[],
): readonly number[] | null {
  const told = cells[columns.indexOf(REPORT_TYPED_COLUMN)] ?? '';
  return told === '' ? [] : readTyped(told, cells, columns);
}

/** `cells`: without their guards. */
export function reportRow(place: RowPlace, cells: string[], columns: readonly string[], text: string): Row {
  const typed = typedInReport(cells, columns);
  if (typed === null) return unreadableRow(place, text, NOT_TYPED);
  return unreadInReport(place, cells, columns) ?? cellsRow(place, cells, typed);
}

/**
 * A row that was unreadable when the report was written, as long as nobody has filled its cells
 * from its text; `null`: any other row.
 */
export function unreadInReport(
  place: RowPlace,
  cells: readonly string[],
  columns: readonly string[],
): Row | null {
  const text = cells[columns.indexOf(REPORT_TEXT_COLUMN)] ?? '';
  const isFilled = (cell: string, at: number) =>
    cell !== '' && columns[at]?.startsWith(REPORT_COLUMN_PREFIX) === false;
  return text === '' || cells.some(isFilled) ? null : unreadableRow(place, text, STILL_EMPTY);
}

const STILL_EMPTY = `"${REPORT_TEXT_COLUMN}" alone: expected its text in the cells of the row`;

const STILL_UNREAD = `"${REPORT_MEMBER}" alone: expected the members of the record that its "text" should have been`;

/** A record that was unreadable then, as long as nobody has written its members; else `null`. */
export function unreadRecord(place: RowPlace, text: string): Row | null {
  if (!text.includes(REPORT_MEMBER)) return null;
  const parsed = unreadSchema.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  return unreadableRow(place, parsed.data[REPORT_MEMBER].text, STILL_UNREAD);
}

const unreadSchema = z.strictObject({
  [REPORT_MEMBER]: z.looseObject({ text: z.string() }),
});

export const NOT_TYPED = `column "${REPORT_TYPED_COLUMN}": expected it as the report had it; restore it, or empty it where its cells are text now`;
