import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from '../../src/service/retry-wait.ts';

test.each([
  [1, 125],
  [2, 250],
  [3, 500],
  [4, 1_000],
  [5, 2_000],
  [6, 4_000],
  [7, 8_000],
  [8, 15_000],
  [9, 15_000],
  [5_000, 15_000],
])('after %i attempts, halfway through the jitter, the wait is %i ms', (attempt, expected) => {
  expect(backoffMs(attempt, () => 0.5)).toBe(expected);
});

test('the wait is a whole number of ms from 0 up to the ceiling of the attempt', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), chance, (attempt, random) => {
      const wait = backoffMs(attempt, () => random);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThan(Math.min(30_000, 250 * 2 ** (attempt - 1)));
    }),
  );
});
