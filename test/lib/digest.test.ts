import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDigestTable, shortDigest, tableDigest } from '../../src/lib/digest.ts';

test('it is the beginning of the SHA-256 in base64url', () => {
  // `printf abc | openssl dgst -sha256 -binary | base64` (FIPS 180-4's own example).
  expect(shortDigest('abc', 43)).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  expect(shortDigest('abc', 8)).toBe('ungWv48B');
  // UTF-8: `printf 'é' | openssl dgst -sha256 -binary | base64`.
  expect(shortDigest('\u00e9', 12)).toBe('SplVfkAzw1Od');
});

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
      for (const [text, value] of set) table.set(tableDigest(text), value);
      for (const text of [...map.keys(), ...asked]) expect(table.get(tableDigest(text))).toBe(map.get(text));
    }),
  );
});

const A = tableDigest('a');

test('the first value stays where it is asked to', () => {
  const table = createDigestTable();
  expect([table.setFirst(A, 1), table.setFirst(A, 2), table.get(A)]).toEqual([undefined, 1, 1]);
});

test('it keeps what it has as it grows', () => {
  const table = createDigestTable();
  const values = Array.from({ length: 20_000 }, (_, i) => i + 1);
  for (const value of values) table.set(tableDigest(`key ${value}`), value);
  expect(values.filter((value) => table.get(tableDigest(`key ${value}`)) !== value)).toEqual([]);
  expect(table.get(tableDigest('key 0'))).toBeUndefined();
});
