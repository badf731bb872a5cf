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
    ['2026-11-22T04:59:59Z', true, '2026-11-22T04:59:59.000Z'],
    ['2026-11-22T05:00:00Z', false, '2026-11-22T22:00:00.000Z'],
    // British Summer Time.
    ['2027-06-01T20:59:00Z', false, '2027-06-01T21:00:00.000Z'],
    ['2027-06-01T21:00:00Z', true, '2027-06-01T21:00:00.000Z'],
    // The night in which the clocks go forward is an hour shorter, and the one in which they go back an hour longer.
    ['2027-03-28T03:59:00Z', true, '2027-03-28T03:59:00.000Z'],
    ['2027-03-28T04:00:00Z', false, '2027-03-28T21:00:00.000Z'],
    ['2026-10-25T04:59:00Z', true, '2026-10-25T04:59:00.000Z'],
    ['2026-10-25T05:00:00Z', false, '2026-10-25T22:00:00.000Z'],
  ])('at %s is open: %s, and opens at %s', (at, isOpen, opensAt) => {
    const window = windowAt('22:00-05:00 Europe/London', at);
    expect([window.isOpen(), window.opensAt().toISOString()]).toEqual([isOpen, opensAt]);
  });
});

describe('an hour that a change of clocks touches', () => {
  test.each([
    // 01:00 to 02:00 does not exist on 2027-03-28: what is left of the window opens at 02:00.
    ['01:30-02:30 Europe/London', '2027-03-28T00:59:00Z', false, '2027-03-28T01:00:00.000Z'],
    ['01:30-02:30 Europe/London', '2027-03-28T01:00:00Z', true, '2027-03-28T01:00:00.000Z'],
    // Nothing is left of this one: it opens the day after.
    ['01:10-01:50 Europe/London', '2027-03-28T00:30:00Z', false, '2027-03-29T00:10:00.000Z'],
    // 01:00 to 02:00 comes twice on 2026-10-25: the window opens twice.
    ['01:10-01:50 Europe/London', '2026-10-25T00:20:00Z', true, '2026-10-25T00:20:00.000Z'],
    ['01:10-01:50 Europe/London', '2026-10-25T00:55:00Z', false, '2026-10-25T01:10:00.000Z'],
    ['01:10-01:50 Europe/London', '2026-10-25T01:20:00Z', true, '2026-10-25T01:20:00.000Z'],
  ])('%s at %s is open: %s, and opens at %s', (text, at, isOpen, opensAt) => {
    const window = windowAt(text, at);
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
