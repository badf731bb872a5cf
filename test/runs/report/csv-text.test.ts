import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardCell, unguardCell } from '../../../src/lib/formula-guard.ts';
import { csvText } from '../../../src/runs/report/csv-text.ts';
import { csvRecords } from './make-report.ts';

const AWKWARD = [...'"\',;\t|\r\n \u00a0\ufeff=+-@＝aé😀0', '\r\n'];
const cell = fc.oneof(
  fc.array(fc.constantFrom(...AWKWARD), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);
const dialect = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  quote: fc.constantFrom('"', "'"),
});
// One column alone: an empty cell is an empty line, which no report file can have.
const table = fc
  .integer({ min: 2, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
  );

/**
 * The fields of a file as a spreadsheet has them that splits at `separators`: a quote opens a field only where the field
 * starts, and what follows the closing quote belongs to it.
 */
function spreadsheetFields(text: string, separators: string, quote: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    let field = '';
    if (text.charAt(at) === quote) {
      for (at += 1; at < text.length && (text[at] !== quote || text[at + 1] === quote); at += 1) {
        if (text[at] === quote) at += 1;
        field += text[at];
      }
      at += 1;
    }
    for (; at < text.length && !`${separators}\r\n`.includes(text.charAt(at)); at += 1) field += text[at];
    fields.push(field);
  }
  return fields;
}

const A_FORMULA = /^[\s"\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const SPLITS = [',', ';', '\t', '|', ',;', ';\t', ',;\t|'];

describe('csvText', () => {
  it('given any cells in any dialect, has no formula for a spreadsheet that splits it at any separators', () => {
    fc.assert(
      fc.property(table, dialect, (rows, how) => {
        const text = csvText(rows, how);
        const fields = SPLITS.flatMap((separators) =>
          ['"', ''].flatMap((quote) => spreadsheetFields(text, separators, quote)),
        );
        expect(fields.filter((field) => A_FORMULA.test(field))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('given any cells in any dialect, reads back as the same cells once the guard is taken off', () => {
    fc.assert(
      fc.property(table, dialect, (rows, how) => {
        const [first = []] = rows;
        const marked = [first.map((_, i) => `h${i}`), ...rows];
        const read = csvRecords(csvText(marked, how), how).map((row) => row.map(unguardCell));
        expect(read).toEqual(marked);
      }),
    );
  });

  it('given any cells in any dialect, writes what csv-stringify writes of the guarded cells', () => {
    const regular = fc.constantFrom('^', ']', '\\', '$', ':', '\u00a7');
    const anyDialect = fc.oneof(dialect, fc.record({ delimiter: regular, quote: fc.constantFrom('"', "'") }));
    fc.assert(
      fc.property(table, anyDialect, (rows, { delimiter, quote }) => {
        const guarded = rows.map((row) => row.map(guardCell));
        const options = { delimiter, quote, escape: quote, quoted_match: /[,;\t|]|^\s|\s$|^ID/ };
        expect(csvText(rows, { delimiter, quote })).toBe(stringify(guarded, options));
      }),
      { numRuns: 500 },
    );
  });

  it('given a cell of many spaces in the middle, takes no time that grows with their square', () => {
    const spaces = `a${' '.repeat(500_000)}b`;
    expect(csvText([[spaces]], { delimiter: ',', quote: '"' })).toBe(`${spaces}\n`);
  });
});
