import { expect, test } from 'vitest';
import { createLookClock, createWaker } from '../../src/inbox/wake.ts';

test('a wait ends with news, also with those that came before it, and says what they were', async () => {
  const waker = createWaker();
  waker.wake('work');
  expect(waker.hasNews()).toBe(true);
  expect([...(await waker.wait(60_000))]).toEqual(['work']);
  const waiting = waker.wait(60_000);
  waker.wake('look');
  expect([...(await waiting)]).toEqual(['look']);
  expect([...(await waker.wait(1))]).toEqual([]);
});

test('looks come as soon as a file may be whole, else at their interval', () => {
  let now = 0;
  const clock = createLookClock(() => now);
  expect([clock.isLookDue(), clock.isLookWanted()]).toEqual([true, true]);
  clock.lookBegins();
  clock.lookEnds(300);
  expect([clock.isLookDue(), clock.isLookWanted()]).toEqual([false, false]);
  now = 300;
  expect(clock.isLookDue()).toBe(true);
  clock.lookBegins();
  clock.lookEnds(null);
  now = 5_299;
  expect(clock.isLookDue()).toBe(false);
  now = 5_300;
  expect(clock.isLookDue()).toBe(true);
});

test('a look that takes long is given a rest, however often one is wanted', () => {
  let now = 0;
  const clock = createLookClock(() => now);
  clock.lookBegins();
  now = 1_000;
  clock.lookEnds(null);
  clock.lookSoon();
  expect([clock.isLookDue(), clock.isLookWanted()]).toEqual([false, true]);
  now = 5_000;
  expect(clock.isLookDue()).toBe(true);
});
