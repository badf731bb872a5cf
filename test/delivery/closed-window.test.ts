import { describe, expect, test } from 'vitest';
import { useOwnRedis } from '../support/redis.ts';
import { chunkOf, deliverOn, startBench } from './row-bench.ts';

const own = useOwnRedis();

describe('outside the window', () => {
  test('a chunk is put aside, and nothing of it is sent', async () => {
    const bench = await startBench(own().redis, { rows: 2, over: { isOpen: () => false } });
    expect(await deliverOn(bench, chunkOf(bench, 2))).toBe('put-aside');
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('a row that was about to be sent as it closed is untouched', async () => {
    let looks = 0;
    const isOpen = () => {
      looks += 1;
      // As the chunk is taken, and before the intent.
      return looks <= 2;
    };
    const bench = await startBench(own().redis, { over: { isOpen } });
    expect(await deliverOn(bench, chunkOf(bench, 1))).toBe('put-back');
    expect([bench.attempts, await bench.mark(1), looks]).toEqual([[], null, 3]);
  });
});
