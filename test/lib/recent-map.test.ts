import { expect, test } from 'vitest';
import { createRecentMap } from '../../src/lib/recent-map.ts';

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

test('what was deleted makes room', () => {
  const map = createRecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.delete('a');
  map.set('c', 3);
  expect([...map].map(([key]) => key)).toEqual(['b', 'c']);
});
