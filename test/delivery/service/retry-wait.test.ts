import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs, comeBackMs, retryAfterMs } from '../../../src/delivery/service/retry-wait.ts';

test.each([
  [1, 125],
  [2, 250],
  [7, 8_000],
  [8, 15_000],
  [5_000, 15_000],
])('after %i attempts, halfway through the jitter, the wait is %i ms', (attempt, expected) => {
  expect(backoffMs(attempt, () => 0.5)).toBe(expected);
});

test('the wait is a whole number of ms from 0 up to the ceiling of the attempt', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), chance, (attempt, random) => {
      const wait = backoffMs(attempt, () => random);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThan(Math.min(30_000, 250 * 2 ** (attempt - 1)));
    }),
  );
});

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);
const CENTURY_MS = 100 * 365 * 86_400_000;

test.each<[string | undefined, number | null]>([
  ['0', 0],
  ['120', 120_000],
  [' 3 ', 3_000],
  ['9'.repeat(400), CENTURY_MS],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
  ['Sun Nov  6 08:49:37 1994', 30_000],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ['Tue, 06 Nov 2029 08:49:37 GMT', Date.UTC(2029, 10, 6, 8, 49, 37) - NOW],
  ['Fri, 31 Dec 9999 23:59:59 GMT', CENTURY_MS],
  [undefined, null],
  ['', null],
  ['-1', null],
  ['1.5', 1_500],
  ['0.0004', 1],
  ['1e3', null],
  ['soon', null],
  ['1994-11-06T09:49:37+01:00', 30_000],
  ['1994-11-06T08:49:37', null],
  ['Sun, 06 Nov 1994 09:49:37 +0100', 30_000],
  ['Sun, 06 Nov 1994 03:49:37 EST', 30_000],
  ['Sunday, 06-Nov-94 10:49:37 CEST', 30_000],
  ['Sun, 06 Nov 1994 08:49:37 XST', null],
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

const IN_30_S = Math.floor(NOW / 1000) + 30;

test.each<[number, Record<string, string>, number | null]>([
  [429, {}, null],
  [429, { 'retry-after': '7', 'x-ratelimit-reset': '30' }, 7_000],
  [429, { 'retry-after': 'soon', 'retry-after-ms': '12.2' }, 13],
  [429, { 'retry-after-ms': 'soon', 'ratelimit-reset': '30' }, 30_000],
  [429, { 'x-ratelimit-reset': '0.5' }, 500],
  [429, { 'x-ratelimit-reset': `${IN_30_S}` }, 30_000],
  [429, { 'ratelimit-reset': `${IN_30_S}000` }, 30_000],
  [429, { 'x-ratelimit-reset': 'Sun, 06 Nov 1994 09:49:37 +0100' }, 30_000],
  [429, { 'x-ratelimit-reset': `${IN_30_S}`, date: 'Sun, 06 Nov 1994 08:49:17 GMT' }, 20_000],
  [429, { 'x-ratelimit-reset': `${IN_30_S - 60}` }, null],
  [429, { 'x-ratelimit-reset': '9'.repeat(40) }, CENTURY_MS],
  [429, { 'x-ratelimit-reset': '3600', 'x-ratelimit-remaining': '4000' }, null],
  [429, { ratelimit: 'limit=100, remaining=0, reset=30' }, 30_000],
  [429, { ratelimit: '"day";r=40;t=3600, "burst";r=0;t=30' }, 30_000],
  [403, { 'retry-after': '0' }, 0],
  [403, { 'x-ratelimit-reset': '30' }, null],
  [403, { 'x-ratelimit-reset': '30', 'x-ratelimit-remaining': '1' }, null],
  [403, { 'x-ratelimit-reset': '30', 'x-ratelimit-remaining': '0' }, 30_000],
  [403, { 'x-ratelimit-reset': `${IN_30_S - 60}`, 'x-ratelimit-remaining': '0' }, null],
  [403, { 'x-ratelimit-remaining': '0' }, null],
  [403, { ratelimit: '"a";r=0;t=30' }, 30_000],
  // What stands on every answer proves nothing of a create.
  [503, { 'x-ratelimit-reset': '30', 'x-ratelimit-remaining': '0', 'retry-after-ms': '5' }, null],
  [503, { 'retry-after': '0.2' }, 200],
])('an answer %i with %j may be repeated in %j ms', (status, head, expected) => {
  expect(comeBackMs(status, head, () => NOW)).toBe(expected);
});
