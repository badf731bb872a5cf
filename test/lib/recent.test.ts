import { expect, test } from 'vitest';
import { createRecentMap } from '../../src/lib/recent.ts';

test('of more entries than it keeps, those that were set last are there', () => {
  const map = createRecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
  expect([map.get('a'), map.get('b'), map.has('b'), map.has('c')]).toEqual([3, undefined, false, true]);
});

test('the oldest goes also where entries were renewed, or all were deleted, meanwhile', () => {
  const map = createRecentMap<number, string>(3);
  const keys = () => [...map].map(([key]) => key);
  for (const key of [1, 2, 3, 1, 4]) map.set(key, 'x');
  expect(keys()).toEqual([3, 1, 4]);
  for (const key of keys()) map.delete(key);
  for (const key of [5, 6, 7, 8]) map.set(key, 'x');
  expect(keys()).toEqual([6, 7, 8]);
});
