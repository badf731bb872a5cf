import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSemaphore } from '../../src/lib/semaphore.ts';

/** Lets everything that is ready to go on do so. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('those who wait are served in the order they came', async () => {
  const semaphore = createSemaphore(1);
  const order: number[] = [];
  const release = await semaphore.acquire();
  const waiting = [1, 2, 3, 4].map(async (n) => {
    const done = await semaphore.acquire();
    order.push(n);
    done();
  });
  release();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('whatever the order of asking and giving back, no more places are out than there are, and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean()), async (places, asks) => {
      const semaphore = createSemaphore(places);
      const held: Array<() => void> = [];
      let asked = 0;
      let released = 0;
      for (const isAsk of asks) {
        if (isAsk) {
          asked += 1;
          void semaphore.acquire().then((release) => held.push(release));
        } else {
          const release = held.shift();
          if (release !== undefined) released += 1;
          release?.();
        }
        await turn();
        expect(held.length).toBe(Math.min(places, asked - released));
      }
    }),
    { numRuns: 50 },
  );
});
