import { expect, test } from 'vitest';
import { countOf, shownTime } from '../../src/lib/terminal.ts';

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
])('%i of them read as %s', (n, words) => expect(countOf(n, 'row')).toBe(words));

test('a plural of its own is given', () => {
  expect([countOf(1, 'entry', 'entries'), countOf(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries']);
});

const AT = new Date('2026-07-01T21:05:09.500Z');

test.each([
  ['UTC', '2026-07-01 21:05 UTC'],
  ['Europe/London', '2026-07-01 22:05 Europe/London'],
  ['Asia/Tokyo', '2026-07-02 06:05 Asia/Tokyo'],
])('in %s a moment reads as %s', (timeZone, shown) => expect(shownTime(AT, timeZone)).toBe(shown));

test('to the second where that is asked for', () => {
  expect(shownTime(AT, 'UTC', { seconds: true })).toBe('2026-07-01 21:05:09 UTC');
});
