import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packRowNumbers, unpackRowNumbers } from '../../src/ledger/reruns.ts';

test('any ascending row numbers are read back as they were packed', async () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(numbers, async (some) => {
      const rows = some.toSorted((a, b) => a - b);
      expect(await unpackRowNumbers(await packRowNumbers(rows))).toEqual(rows);
    }),
  );
});

test('a million neighbours take a few kilobytes', async () => {
  const rows = Array.from({ length: 1_000_000 }, (_, i) => i + 1);
  expect((await packRowNumbers(rows)).length).toBeLessThan(5_000);
});
