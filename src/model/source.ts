import { z } from 'zod';

/** How a file was understood. `columns` is the CSV header, or every field path met in the JSON records. */
export const sourceInfoSchema = z.object({
  type: z.enum(['csv', 'json', 'ndjson']),
  encoding: z.string(),
  bom: z.boolean(),
  delimiter: z.string().nullable(),
  quote: z.string().nullable(),
  columns: z.array(z.string()),
});
export type SourceInfo = z.infer<typeof sourceInfoSchema>;

/** What one reading of a whole file found out, before anything is sent. */
export const fileFactsSchema = z.object({
  path: z.string(),
  /** Lower-case hex. */
  sha256: z.string(),
  bytes: z.number().int().nonnegative(),
  rows: z.number().int().nonnegative(),
  source: sourceInfoSchema,
  /** Tells whether the file at the path is still the same one, untouched: inode, size and time of change. */
  stamp: z.string(),
});
export type FileFacts = z.infer<typeof fileFactsSchema>;

/** Columns that a report file adds; they are ignored when it is loaded again. */
export const REPORT_COLUMN_PREFIX = 'onboard_';
/** The member that a report file adds to a JSON record; ignored when it is loaded again. */
export const REPORT_MEMBER = '_onboard';
/** A CSV file with this column came from a report: one leading `'` is taken off each guarded cell. */
export const REPORT_ROW_COLUMN = 'onboard_row';
