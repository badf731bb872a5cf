import type { Format } from '../config/job-definition.ts';
import { REPORT_ROW_COLUMN } from '../model/source.ts';

/** Whether a text begins with the header of a report file. */
export function isReportText(text: string): boolean {
  return firstLineOf(text).includes(REPORT_ROW_COLUMN);
}

/**
 * How a report file is read that is loaded again with its job's definition: what that says of title lines and comments
 * is said of the partner's file. A report has neither, and each of its lines is a row; a workbook's is written with commas.
 */
export function formatFor(text: string, format: Format): Format {
  const { header, comment, ...plain } = format;
  const isOtherwise = !firstLineOf(text).includes(`${delimiterOf(format)}${REPORT_ROW_COLUMN}`);
  return format.delimiter !== 'auto' && isOtherwise ? { ...plain, delimiter: 'auto' } : plain;
}

function delimiterOf({ delimiter }: Format): string {
  return delimiter === '\\t' ? '\t' : delimiter;
}

function firstLineOf(text: string): string {
  return text.slice(0, text.search(/[\r\n]|$/));
}
