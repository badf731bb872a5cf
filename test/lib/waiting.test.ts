import { expect, test } from 'vitest';
import { sleep, withDeadline } from '../../src/lib/waiting.ts';
import { deferred } from '../support/deferred.ts';

const FAR_TOO_LONG_MS = 3_600_000;

test('work that takes longer is late, and goes on', async () => {
  const work = deferred<string>();
  expect(await withDeadline(work.promise, 1)).toBe('late');
  work.resolve('done after all');
  expect(await work.promise).toBe('done after all');
});

test('work that fails in time fails with its own error', async () => {
  await expect(withDeadline(Promise.reject(new Error('refused')), FAR_TOO_LONG_MS)).rejects.toThrow(
    'refused',
  );
});

test('work that fails after it was late disturbs nobody', async () => {
  const work = deferred<string>();
  expect(await withDeadline(work.promise, 1)).toBe('late');
  work.reject(new Error('too late to matter'));
  // An unhandled rejection would end the test run with an error.
  await new Promise((resolve) => setImmediate(resolve));
});

test.each([undefined, new Error('the run was cancelled')])(
  'a signal that fires, with the reason %s, ends the wait without an error',
  async (reason) => {
    const stop = new AbortController();
    const waited = sleep(FAR_TOO_LONG_MS, stop.signal);
    stop.abort(reason);
    expect(await waited).toBeUndefined();
  },
);

test('a signal that has fired already ends the wait at once', async () => {
  expect(await sleep(FAR_TOO_LONG_MS, AbortSignal.abort())).toBeUndefined();
});
