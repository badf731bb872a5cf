import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCsvReader } from '../../../../src/readers/intake/csv/cells.ts';
import type { CsvDialect } from '../../../../src/readers/intake/csv/grammar.ts';
import type { CsvRecord } from '../../../../src/readers/intake/csv/records.ts';

const text = fc
  .array(fc.constantFrom(...'a",,\n\n\r é\\', '\u00A0', '\t', 'b c', '""', '"x"', '"y,\n"', '\r\n'), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));
const dialect = fc.record({
  delimiter: fc.constantFrom(',', 'é'),
  quote: fc.constantFrom('"', 'b'),
  escape: fc.constant(null),
  newline: fc.constantFrom('lf' as const, 'cr' as const),
  trim: fc.boolean(),
});

const recordsOf = (text: string, dialect: CsvDialect): CsvRecord[] =>
  createCsvReader(dialect, 1)(text, true).filter((piece) => piece.kind === 'record');

/** As csv-parse alone reads a text. */
function parsed(text: string, { delimiter, quote, newline, trim }: CsvDialect): string[][] {
  const ends = newline === 'lf' ? ['\r\n', '\n'] : ['\r\n', '\n', '\r'];
  const options = { delimiter, quote, escape: quote, record_delimiter: ends, relax_column_count: true, trim };
  const records = parse(text, { ...options, columns: false });
  return trim ? records.map((cells) => cells.map((cell) => cell.trim())) : records;
}

test('whatever the text, its records have the cells that csv-parse finds in them', () => {
  let seen = 0;
  fc.assert(
    fc.property(text, dialect, (text, dialect) => {
      for (const record of recordsOf(text, dialect)) {
        seen += 1;
        // It refuses what it would take off before a quote.
        const text = dialect.trim ? record.text.replaceAll('\u00A0', ' ') : record.text;
        const cells = record.cells.map((cell) => (dialect.trim ? cell.replaceAll('\u00A0', ' ') : cell));
        expect([cells]).toEqual(parsed(`${text}\r\n`, dialect));
      }
    }),
    { numRuns: 3000 },
  );
  expect(seen).toBeGreaterThan(2000);
});
