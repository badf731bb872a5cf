import type { Format } from '../config/job-definition.ts';
import { REPORT_ROW_COLUMN } from '../model/source.ts';

/**
 * How a text is read that may be a report file, loaded again with its job's definition: what that says of title lines
 * and comments is said of the partner's file. A report has neither, and each of its lines is a row.
 */
export function formatFor(text: string, format: Format): Format {
  const { header, comment, ...plain } = format;
  if (header === undefined && comment === undefined) return format;
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  return firstLine.includes(REPORT_ROW_COLUMN) ? plain : format;
}
