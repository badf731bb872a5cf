import { describe, expect, test } from 'vitest';
import { isOpenAt, nextOpening, parseDailyWindow } from '../../src/lib/daily-window.ts';

function windowOf(text: string) {
  const window = parseDailyWindow(text);
  if (window === null) throw new Error(`${text} is no window`);
  return window;
}

test.each([
  '22:00-05:00',
  '22-05 Europe/London',
  '24:00-05:00 Europe/London',
  '22:00-22:00 Europe/London',
  '22:00-05:00 Mars/Base',
  '22:60-05:00 UTC',
])('%s is no window', (text) => {
  expect(parseDailyWindow(text)).toBeNull();
});

describe('a window over midnight', () => {
  const night = windowOf('22:00-05:00 Europe/London');
  test.each([
    ['2026-11-21T21:59:59Z', false],
    ['2026-11-21T22:00:00Z', true],
    ['2026-11-22T04:59:59Z', true],
    ['2026-11-22T05:00:00Z', false],
    // Summer time: London is an hour ahead.
    ['2026-07-01T20:59:00Z', false],
    ['2026-07-01T21:00:00Z', true],
    ['2026-07-02T04:00:00Z', false],
  ])('at %s: %s', (at, open) => {
    expect(isOpenAt(night, new Date(at))).toBe(open);
  });

  test('opens next at its beginning by the clock of its zone', () => {
    expect(nextOpening(night, new Date('2026-11-21T12:00:30Z'))).toEqual(new Date('2026-11-21T22:00:00Z'));
    expect(nextOpening(night, new Date('2026-07-01T12:00:00Z'))).toEqual(new Date('2026-07-01T21:00:00Z'));
  });
});

test.each([
  // 22:00 to 05:00 in the nights in which the clocks go forward and back.
  ['22:00-05:00', '2027-03-28T03:59:00Z', true, '2027-03-28T03:59:00Z'],
  ['22:00-05:00', '2027-03-28T04:00:00Z', false, '2027-03-28T21:00:00Z'],
  ['22:00-05:00', '2026-10-25T04:59:00Z', true, '2026-10-25T04:59:00Z'],
  ['22:00-05:00', '2026-10-25T05:00:00Z', false, '2026-10-25T22:00:00Z'],
  // 01:00 to 02:00 does not exist on 2027-03-28: what is left of the window opens at 02:00, or the day after.
  ['01:30-02:30', '2027-03-28T00:59:00Z', false, '2027-03-28T01:00:00Z'],
  ['01:30-02:30', '2027-03-28T01:00:00Z', true, '2027-03-28T01:00:00Z'],
  ['01:10-01:50', '2027-03-28T00:30:00Z', false, '2027-03-29T00:10:00Z'],
  ['01:00-02:00', '2027-03-28T00:30:00Z', false, '2027-03-29T00:00:00Z'],
  // 01:00 to 02:00 comes twice on 2026-10-25: the window opens twice.
  ['01:10-01:50', '2026-10-25T00:20:00Z', true, '2026-10-25T00:20:00Z'],
  ['01:10-01:50', '2026-10-25T00:55:00Z', false, '2026-10-25T01:10:00Z'],
  ['01:10-01:50', '2026-10-25T01:20:00Z', true, '2026-10-25T01:20:00Z'],
  ['01:00-02:00', '2026-10-25T02:00:00Z', false, '2026-10-26T01:00:00Z'],
])('%s in London, as the clocks change, at %s: %s, and opens at %s', (text, at, isOpen, opensAt) => {
  const window = windowOf(`${text} Europe/London`);
  expect(isOpenAt(window, new Date(at))).toBe(isOpen);
  expect(nextOpening(window, new Date(at))).toEqual(new Date(opensAt));
});

test('an open window opens now', () => {
  const now = new Date('2026-11-21T23:10:00Z');
  expect(nextOpening(windowOf('22:00-05:00 Europe/London'), now)).toEqual(now);
});
