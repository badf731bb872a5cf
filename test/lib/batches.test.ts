import { expect, test } from 'vitest';
import { batchesOf } from '../../src/lib/batches.ts';

test('a list is parted into batches of at most a size, none of them empty', () => {
  const parted = (items: readonly number[], size: number) => [...batchesOf(items, size)];
  expect(parted([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(parted([1, 2], 2)).toEqual([[1, 2]]);
  expect(parted([], 2)).toEqual([]);
});
