import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tickBatch } from '../../src/lib/tick-batch.ts';

/** A flush that doubles, and remembers what it was given. */
function doubling(maxItems: number) {
  const flushes: number[][] = [];
  const ask = tickBatch(async (items: readonly number[]) => {
    flushes.push([...items]);
    return items.map((n) => n * 2);
  }, maxItems);
  return { ask, flushes };
}

test('what is asked for after promises have run, still within the turn, joins the flush', async () => {
  const { ask, flushes } = doubling(100);
  const later = Promise.resolve().then(() => ask(2));
  expect(await Promise.all([ask(1), later])).toEqual([2, 4]);
  expect(flushes).toEqual([[1, 2]]);
});

test('for any items and any size, flushes keep the order, are full but for the last, and answers match', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer()), fc.integer({ min: 1, max: 7 }), async (items, max) => {
      const { ask, flushes } = doubling(max);
      expect(await Promise.all(items.map(ask))).toEqual(items.map((n) => n * 2));
      expect(flushes.flat()).toEqual(items);
      expect(flushes.length).toBe(Math.ceil(items.length / max));
      expect(flushes.slice(0, -1).every((f) => f.length === max)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a flush that fails fails every item of its batch, and no other', async () => {
  let calls = 0;
  const ask = tickBatch(async (items: readonly number[]) => {
    calls += 1;
    if (calls === 1) throw new Error('Redis is full');
    return items;
  }, 2);
  const settled = await Promise.allSettled([1, 2, 3].map(ask));
  expect(settled).toEqual([
    { status: 'rejected', reason: new Error('Redis is full') },
    { status: 'rejected', reason: new Error('Redis is full') },
    { status: 'fulfilled', value: 3 },
  ]);
});

test('a flush that throws before it answers a promise fails its items all the same', async () => {
  const ask = tickBatch<number, number>(() => {
    throw new Error('no connection');
  }, 10);
  await expect(Promise.all([ask(1), ask(2)])).rejects.toThrow('no connection');
});

test('an answer that is too short is an error for the items it leaves out', async () => {
  const ask = tickBatch(async (items: readonly number[]) => items.slice(0, 1), 10);
  const settled = await Promise.allSettled([1, 2].map(ask));
  expect(settled).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: new Error('the batch answered fewer items than it was given') },
  ]);
});
