import { expect, test } from 'vitest';
import { serviceWords } from '../../src/cli/service-words.ts';

test.each([
  [1, '1 failure in a row since 20:30:51 UTC'],
  [2, '2 failures in a row since 20:30:51 UTC'],
])('of a service that has failed %i times, says %s', (failuresInARow, words) => {
  const since = '2026-11-21T20:30:51.000Z';
  expect(serviceWords({ state: 'failing', failuresInARow, since, nextAt: null })).toBe(words);
});
