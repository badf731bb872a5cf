import { expect, test } from 'vitest';
import { groupAdjacent } from '../../src/lib/group-adjacent.ts';

test.each([
  [[], []],
  [[1], [[1]]],
  [
    [1, 1, 2, 1],
    [[1, 1], [2], [1]],
  ],
])('%j is parted where neighbours differ', (items: number[], groups: number[][]) => {
  expect(groupAdjacent(items, (a, b) => a === b)).toEqual(groups);
});
