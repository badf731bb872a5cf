import { describe, expect, test } from 'vitest';
import { deliverChunk } from '../../src/delivery/deliver-chunk.ts';
import { tryRow } from '../../src/delivery/try-row.ts';
import { useOwnRedis } from '../support/redis.ts';
import { chunkOf, sendingOf, startBench } from './row-bench.ts';

const own = useOwnRedis();
const HANDS = { taker: 'me.1', lease: { isHeld: () => true } };

describe('outside the window', () => {
  test('a chunk is put aside, and nothing of it is sent', async () => {
    const bench = await startBench(own().redis, { rows: 2, over: { isOpen: () => false } });
    expect(await deliverChunk(chunkOf(bench, 2), { context: bench.context, ...HANDS })).toBe('put-aside');
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('a chunk of a cancelled run is closed all the same', async () => {
    const bench = await startBench(own().redis, { rows: 2, over: { isOpen: () => false } });
    await bench.store.transition(bench.context.run.id, 'cancelled', null);
    expect(await deliverChunk(chunkOf(bench, 2), { context: bench.context, ...HANDS })).toBe('closed');
    expect((await bench.run()).outcomes.cancelled).toBe(2);
  });

  test('a row that was about to be sent as it closed is untouched', async () => {
    let looks = 0;
    const isOpen = () => {
      looks += 1;
      return looks === 1;
    };
    const bench = await startBench(own().redis, { over: { isOpen } });
    expect(await tryRow(sendingOf(bench), bench.context)).toEqual({ kind: 'unsent' });
    expect([bench.attempts, await bench.mark(1), looks]).toEqual([[], null, 2]);
  });
});
