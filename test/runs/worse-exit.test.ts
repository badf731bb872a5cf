import { expect, test } from 'vitest';
import { worse } from '../../src/runs/status.ts';

test.each([
  [0, 1, 1],
  [1, 5, 5],
  [5, 2, 2],
  [2, 3, 3],
  [3, 0, 3],
])('of the exit statuses %i and %i the worse is %i', (a, b, expected) => {
  expect([worse(a, b), worse(b, a)]).toEqual([expected, expected]);
});
