/**
 * Report files that are loaded again, such as a `failed.csv` with its rows corrected. They are read with the definition
 * of the job's own file, which says things that aren't so of a report: its encoding, its delimiter, its title lines.
 * What tells a report from a partner's file, and what it says of its own rows, is decided here.
 */
import type { Format } from '../config/job-definition.ts';
import { readTyped, type TypedCells } from '../lib/typed-cells.ts';
import { REPORT_MEMBER, REPORT_ROW_COLUMN, REPORT_TYPED_COLUMN } from '../model/source.ts';
import { delimiterOf } from './csv/grammar.ts';
import { endOfValue } from './json/cursor.ts';

/** Whether a text's beginning, in whatever encoding, is that of a report file. */
export function isReport(text: string): boolean {
  return isReportText(text) || text.includes(`"${REPORT_MEMBER}"`);
}

/** Whether a text begins with the header of a report file. */
export function isReportText(text: string): boolean {
  return firstLineOf(text).includes(REPORT_ROW_COLUMN);
}

function firstLineOf(text: string): string {
  return text.slice(0, text.search(/[\r\n]|$/));
}

/** Whether a JSON text begins with a record of a report: those stand one after the other, also where a person saved them under another name. */
export function isReportRecord(head: string): boolean {
  const text = head.trimStart();
  const end = endOfValue(text, 0);
  return end !== -1 && hasReportMember(text.slice(0, end));
}

function hasReportMember(text: string): boolean {
  try {
    const record: unknown = JSON.parse(text);
    return typeof record === 'object' && record !== null && Object.hasOwn(record, REPORT_MEMBER);
  } catch {
    return false;
  }
}

/**
 * How a report file is read that is loaded again with its job's definition: what that says of title lines and comments
 * is said of the partner's file. A report has neither, and each of its lines is a row; a workbook's is written with commas.
 */
export function formatFor(text: string, format: Format): Format {
  const { header, comment, ...plain } = format;
  const isOtherwise = !firstLineOf(text).includes(`${delimiterOf(format.delimiter)}${REPORT_ROW_COLUMN}`);
  return format.delimiter !== 'auto' && isOtherwise ? { ...plain, delimiter: 'auto' } : plain;
}

/** The cells that a report file says were typed in its workbook, as far as they are as it wrote them; `null` where that can't be told. */
export function typedInReport(cells: readonly string[], columns: readonly string[]): TypedCells | null {
  const told = cells[columns.indexOf(REPORT_TYPED_COLUMN)] ?? '';
  return told === '' ? NONE : readTyped(told, cells, columns);
}

const NONE: TypedCells = { typed: [], numeric: [] };

/** What is wrong with a row whose account of typed cells was changed. */
export const NOT_TYPED = `column "${REPORT_TYPED_COLUMN}": expected it as the report file had it; restore it, or empty it where its cells are written as the job definition reads text`;
