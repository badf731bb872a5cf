import { stringify } from 'csv-stringify/sync';
import { guardCell } from '../lib/formula-guard.ts';

/** How a CSV file is written; one character each. */
export type Dialect = { readonly delimiter: string; readonly quote: string };

/** Spaces at a cell's ends are legal without quotes, but programs take them off. */
const SPACE_AT_AN_END = /^\s|\s$/;

/**
 * The rows as CSV text, a line feed after each, every cell guarded against being run as a formula.
 * Reads back byte-exact once `unguardCell` has been over each cell.
 */
export function csvText(rows: readonly (readonly string[])[], { delimiter, quote }: Dialect): string {
  // record_delimiter stays unset: csv-stringify then quotes a lone CR too, which its own reader takes for a line's end.
  return stringify(
    rows.map((row) => row.map(guardCell)),
    { delimiter, quote, escape: quote, quoted_match: SPACE_AT_AN_END },
  );
}
