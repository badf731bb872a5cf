import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/service/retry-after.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);
const DAY_MS = 86_400_000;

test.each<[string | undefined, number | null]>([
  ['0', 0],
  ['120', 120_000],
  [' 3 ', 3_000],
  ['99999999999999999999', DAY_MS],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
  ['Sun Nov  6 08:49:37 1994', 30_000],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ['Tue, 06 Nov 2029 08:49:37 GMT', DAY_MS],
  [undefined, null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['soon', null],
  ['2029-11-06T08:49:37Z', null],
  ['Sun, 99 Nov 1994 08:49:37 GMT', null],
])('Retry-After %j means %j ms', (value, expected) => {
  expect(retryAfterMs(value, () => NOW)).toBe(expected);
});

test('every instant up to a day ahead, written as an HTTP date, comes back as its distance', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400 }), (seconds) => {
      const date = new Date(NOW + seconds * 1000).toUTCString();
      expect(retryAfterMs(date, () => NOW)).toBe(seconds * 1000);
    }),
  );
});
