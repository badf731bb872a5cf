import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/service/retry-wait.ts';

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
  expect(retryAfterMs(value, () => NOW, undefined)).toBe(expected);
});

test('every instant up to a day ahead, written as an HTTP date, comes back as its distance', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400 }), (seconds) => {
      const date = new Date(NOW + seconds * 1000).toUTCString();
      expect(retryAfterMs(date, () => NOW, undefined)).toBe(seconds * 1000);
    }),
  );
});

test.each<[string, string | undefined, number]>([
  ['Sun, 06 Nov 1994 09:49:37 GMT', 'Sun, 06 Nov 1994 09:49:07 GMT', 30_000],
  ['Sun, 06 Nov 1994 07:49:37 GMT', ' Sun, 06 Nov 1994 07:49:07 GMT', 30_000],
  ['Sun, 06 Nov 1994 07:49:37 GMT', 'Sun, 06 Nov 1994 08:49:07 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 'some time ago', 30_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', '', 30_000],
  ['30', 'Sun, 06 Nov 1994 09:49:07 GMT', 30_000],
])('Retry-After %j of an answer with the Date %j means %i ms, whatever the clocks', (value, sentAt, ms) => {
  expect(retryAfterMs(value, () => NOW, sentAt)).toBe(ms);
});
