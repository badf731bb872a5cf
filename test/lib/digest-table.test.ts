import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDigestTable } from '../../src/lib/digest-table.ts';

test('it answers as a map does, whatever is set and set again', () => {
  const pairs = fc.array(
    fc.tuple(
      fc.string({ maxLength: 3 }),
      fc.integer({ min: -5, max: 5 }).filter((n) => n !== 0),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(pairs, fc.array(fc.string({ maxLength: 3 })), (set, asked) => {
      const table = createDigestTable();
      const map = new Map(set);
      for (const [text, value] of set) table.set(text, value);
      for (const text of [...map.keys(), ...asked]) expect(table.get(text)).toBe(map.get(text));
    }),
  );
});

test('the first value stays where it is asked to', () => {
  const table = createDigestTable();
  expect([table.setFirst('a', 1), table.setFirst('a', 2), table.get('a')]).toEqual([undefined, 1, 1]);
});

test('it keeps what it has as it grows', () => {
  const table = createDigestTable();
  const values = Array.from({ length: 20_000 }, (_, i) => i + 1);
  for (const value of values) table.set(`key ${value}`, value);
  expect(values.filter((value) => table.get(`key ${value}`) !== value)).toEqual([]);
  expect(table.get('key 0')).toBeUndefined();
});
