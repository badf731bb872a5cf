import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areWithin, countPlace, noPlaces } from '../../../src/runs/report/places.ts';

function whereOf(set: readonly number[], rows: number): number[] {
  const places = noPlaces(rows);
  for (const row of set) countPlace(places, row, rows);
  return [...places];
}

test('of a run of any size has at most 100 parts, of equal size', () => {
  expect(whereOf([1, 3, 3], 3)).toEqual([1, 0, 2]);
  expect(whereOf([], 0)).toEqual([0]);
  const where = whereOf([1, 100_000, 100_001, 10_000_000], 10_000_000);
  expect([where.length, where[0], where[1], where[99]]).toEqual([100, 2, 1, 1]);
});

test('never misses a row, also of a rerun, whose rows have higher numbers, and rules out other parts', () => {
  const rowNumber = fc.integer({ min: 1, max: 2_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), rowNumber, fc.nat(200), (rows, row, before) => {
      const first = Math.max(1, row - before);
      expect(areWithin(whereOf([row], rows), { first, last: row + before, rows })).toBe(true);
    }),
  );
  const where = whereOf([500], 1_000);
  expect(areWithin(where, { first: 401, last: 490, rows: 1_000 })).toBe(false);
  expect(areWithin(where, { first: 501, last: 1_000, rows: 1_000 })).toBe(false);
});
