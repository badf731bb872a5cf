import { expect, test } from 'vitest';
import { createOwnWork } from '../../src/lib/own-work.ts';
import { sleep } from '../../src/lib/waiting.ts';

/** Keeps the thread at work for that long. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) Math.sqrt(until);
}

test('time at work counts, time that passes waiting does not, and each answer is for the time since the last', async () => {
  const share = createOwnWork();
  work(60);
  // The loop has to turn for its time to be counted.
  await sleep(1);
  const busy = share();
  await sleep(120);
  const idle = share();
  expect(busy).toBeGreaterThan(idle);
});
