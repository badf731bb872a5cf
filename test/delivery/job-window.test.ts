import { describe, expect, test } from 'vitest';
import { closedWindowWords, createJobWindow, type JobWindow } from '../../src/delivery/job-window.ts';

/** The window as it is at a moment. */
function windowAt(text: string, at: string): JobWindow {
  const window = createJobWindow(text, () => new Date(at));
  if (window === null) throw new Error('no window');
  return window;
}

test('a job without a window has none', () => {
  expect(createJobWindow(undefined, () => new Date())).toBeNull();
});

describe('the window 22:00-05:00 Europe/London', () => {
  test.each([
    ['2026-11-21T21:59:59Z', false, '2026-11-21T22:00:00.000Z'],
    ['2026-11-21T22:00:00Z', true, '2026-11-21T22:00:00.000Z'],
    // British Summer Time.
    ['2027-06-01T20:59:00Z', false, '2027-06-01T21:00:00.000Z'],
  ])('at %s is open: %s, and opens at %s', (at, isOpen, opensAt) => {
    const window = windowAt('22:00-05:00 Europe/London', at);
    expect([window.isOpen(), window.opensAt().toISOString()]).toEqual([isOpen, opensAt]);
  });
});

test('a window follows its clock from minute to minute', () => {
  const clock = { at: new Date('2026-11-21T21:59:30Z') };
  const window = createJobWindow('22:00-05:00 Europe/London', () => clock.at);
  const before = window?.isOpen();
  clock.at = new Date('2026-11-21T22:00:00Z');
  expect([before, window?.isOpen()]).toEqual([false, true]);
});

test.each([
  ['2026-11-21T12:00:00Z', '22:00-05:00 Europe/London', '2026-11-21 22:00 Europe/London'],
  ['2027-03-27T23:30:00Z', '02:00-05:00 Europe/London', '2027-03-28 02:00 Europe/London'],
  ['2026-11-21T12:00:00Z', '00:00-05:00 America/New_York', '2026-11-22 00:00 America/New_York'],
])('at %s the closed window %s says when it opens, by its own wall clock: %s', (at, text, shown) => {
  expect(closedWindowWords(windowAt(text, at))).toBe(`The window ${text} is closed: goes on at ${shown}.`);
});
