import { expect, test } from 'vitest';
import { createLookClock } from '../../src/inbox/look-clock.ts';
import { sharedIo } from '../../src/inbox/shared-io.ts';
import { createWaker } from '../../src/inbox/waker.ts';
import { worse } from '../../src/runs/status.ts';
import { memoryIo } from '../cli/memory-io.ts';

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
  const clock = createLookClock(5_000, () => now);
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
  const clock = createLookClock(5_000, () => now);
  clock.lookBegins();
  now = 1_000;
  clock.lookEnds(null);
  clock.lookSoon();
  expect([clock.isLookDue(), clock.isLookWanted()]).toEqual([false, true]);
  now = 5_000;
  expect(clock.isLookDue()).toBe(true);
});

test('news that come while a look is under way are followed by another one', () => {
  let now = 0;
  const clock = createLookClock(5_000, () => now);
  clock.lookBegins();
  clock.lookSoon();
  clock.lookEnds(null);
  now = 100;
  expect(clock.isLookDue()).toBe(true);
});

test.each([
  [0, 1, 1],
  [1, 5, 5],
  [5, 2, 2],
  [2, 3, 3],
  [3, 0, 3],
])('of the exit statuses %i and %i the worse is %i', (a, b, expected) => {
  expect([worse(a, b), worse(b, a)]).toEqual([expected, expected]);
});

test('what several runs say one after the other is said once', () => {
  const io = memoryIo();
  const shared = sharedIo(io);
  for (const text of ['away\n', 'away\n', 'back\n', 'back\n', 'away\n']) shared.stderr.write(text);
  expect(io.stderr.text).toBe('away\nback\naway\n');
});
