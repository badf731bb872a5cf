import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCellParser, createTextParser } from '../../../src/intake/csv/cells.ts';
import { createCsvSplitter } from '../../../src/intake/csv/records.ts';
import { UNIX_CSV } from './unix-csv.ts';

const text = fc
  .array(fc.constantFrom(...'a",,\n\n\r é\\', 'b c', '""', '"x"', '"y,\n"', '\r\n'), { maxLength: 60 })
  .map((parts) => parts.join(''));
const dialect = fc.record({
  delimiter: fc.constantFrom(',', 'é'),
  quote: fc.constantFrom('"', 'b'),
  escape: fc.constantFrom(null, '\\'),
  newline: fc.constantFrom('lf' as const, 'cr' as const),
  trim: fc.boolean(),
});

test('whatever the text, its records have the cells that csv-parse finds in them', () => {
  let seen = 0;
  fc.assert(
    fc.property(text, dialect, (text, dialect) => {
      const cut = createCellParser(dialect);
      const parse = createTextParser(dialect);
      for (const piece of createCsvSplitter(dialect, 1)(text, true)) {
        if (piece.kind !== 'records') continue;
        seen += piece.starts.length;
        expect(cut(piece)).toEqual(parse(piece.text));
      }
    }),
    { numRuns: 3000 },
  );
  expect(seen).toBeGreaterThan(2000);
});

test('plain and quoted records keep their order, also where the last one has no line end', () => {
  const parse = createCellParser(UNIX_CSV);
  const text = 'a,b\r\n"c,1",d\n\n\ne,f\n"g",h';
  const starts = [0, 5, 15, 19];
  expect(parse({ text, starts })).toEqual([
    ['a', 'b'],
    ['c,1', 'd'],
    ['e', 'f'],
    ['g', 'h'],
  ]);
});
