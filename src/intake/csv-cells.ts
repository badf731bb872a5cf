import { parse } from 'csv-parse/sync';
import type { CsvDialect } from './csv-dialect.ts';

/** Parses well-formed records with csv-parse: one list of cells per record, blank lines left out; records may differ in length. */
export function createCellParser(dialect: CsvDialect): (text: string) => readonly string[][] {
  const { trim } = dialect;
  const options = {
    columns: false as const,
    delimiter: dialect.delimiter,
    quote: dialect.quote,
    escape: dialect.quote,
    record_delimiter: dialect.newline === 'lf' ? ['\r\n', '\n'] : ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    // Only so that a record of the wrong length can be reported; the reader compares it with the header.
    relax_column_count: true,
    trim,
  };
  if (!trim) return (text) => parse(text, options);
  // csv-parse takes off what stands outside the quotes.
  return (text) => parse(text, options).map((cells) => cells.map((cell) => cell.trim()));
}
