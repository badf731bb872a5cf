import { expect, test } from 'vitest';
import { alternate } from './pairs.ts';

test('both sides run in every round, each of them first in every second', async () => {
  const order: string[] = [];
  const side = (name: string) => async () => order.push(name);
  const pairs = await alternate(3, { ours: side('ours'), theirs: side('theirs') });
  expect(order).toEqual(['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs']);
  expect(pairs).toEqual([
    { ours: 1, theirs: 2 },
    { ours: 4, theirs: 3 },
    { ours: 5, theirs: 6 },
  ]);
});
