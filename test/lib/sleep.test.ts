import { expect, test } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';

const FAR_TOO_LONG_MS = 3_600_000;

test('without a signal it waits as long as it is told', async () => {
  const before = performance.now();
  await sleep(20);
  // Timers count whole milliseconds and may fire a fraction early.
  expect(performance.now() - before).toBeGreaterThanOrEqual(19);
});

test('a signal that fires ends the wait without an error', async () => {
  const stop = new AbortController();
  const waited = sleep(FAR_TOO_LONG_MS, stop.signal);
  stop.abort();
  expect(await waited).toBeUndefined();
});

test('a signal that fires with a reason of its own ends the wait without an error too', async () => {
  const stop = new AbortController();
  const waited = sleep(FAR_TOO_LONG_MS, stop.signal);
  stop.abort(new Error('the run was cancelled'));
  expect(await waited).toBeUndefined();
});

test('a signal that has fired already ends the wait at once', async () => {
  expect(await sleep(FAR_TOO_LONG_MS, AbortSignal.abort())).toBeUndefined();
});

test('a signal that never fires leaves the wait as it is', async () => {
  expect(await sleep(1, new AbortController().signal)).toBeUndefined();
});
