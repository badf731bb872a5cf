import { expect, test } from 'vitest';
import { shownTime } from '../../src/lib/shown-time.ts';

const AT = new Date('2026-07-01T21:05:09.500Z');

test.each([
  ['UTC', '2026-07-01 21:05 UTC'],
  ['Europe/London', '2026-07-01 22:05 Europe/London'],
  ['Asia/Tokyo', '2026-07-02 06:05 Asia/Tokyo'],
])('in %s a moment reads as %s', (timeZone, shown) => expect(shownTime(AT, timeZone)).toBe(shown));

test('to the second where that is asked for', () => {
  expect(shownTime(AT, 'UTC', { seconds: true })).toBe('2026-07-01 21:05:09 UTC');
});
