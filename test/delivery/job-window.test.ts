import { expect, test } from 'vitest';
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
