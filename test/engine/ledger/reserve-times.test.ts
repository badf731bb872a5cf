import { describe, expect, test } from 'vitest';
import { AHEAD_MS, createChunkLedger, type Reserved } from '../../../src/engine/ledger/chunk-ledger.ts';
import { openTestEpoch } from '../../support/epoch.ts';
import { runningRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { setText } from '../../support/stored.ts';
import { until } from '../../support/until.ts';

const own = useOwnRedis();

/** Two workers of one run, which share nothing but Redis. */
async function twoWorkers() {
  const { redis } = own();
  const { parts, keys, id, run, ledger } = await runningRun(redis);
  const beside = { ...parts, verified: await openTestEpoch(redis, keys), run: await run() };
  const key = keys.run(id).rate;
  /** As if the time line ended so long ago. */
  const free = async (agoMs: number) => {
    const [seconds, micros] = await redis.time();
    await setText(redis, key, (Number(seconds) - agoMs / 1000) * 1e6 + Number(micros));
  };
  return { one: ledger.reserve, other: createChunkLedger(beside).reserve, free, key };
}

describe('times on a run’s time line', () => {
  test('begin at once, and no more are given than are near', async () => {
    const { one } = await twoWorkers();
    expect(await one(100, 5)).toEqual({ times: AHEAD_MS / 5 + 1, inMs: 0 });
  });

  test('that were given before the clock was set back an hour keep nobody waiting for it', async () => {
    const { one, free } = await twoWorkers();
    await free(-3_600_000);
    expect((await one(1, 5)).inMs).toBeLessThanOrEqual(AHEAD_MS + 5);
    await until(async () => (await one(1, 5)).times === 1);
  });

  test('follow each other over all workers, each a time of its own', async () => {
    const { one, other, key } = await twoWorkers();
    const given: Reserved[] = [];
    const ends: number[] = [];
    for (const ask of [one, other, one, other]) {
      given.push(await ask(2, 2));
      ends.push(Number(await own().redis.get(key)));
    }
    expect(given.map(({ times }) => times)).toEqual([2, 2, 2, 2]);
    // In microseconds: two times of 2 ms lie between an end of the line and the next, at least.
    for (const [i, end] of ends.slice(1).entries())
      expect(end - (ends[i] ?? 0)).toBeGreaterThanOrEqual(4_000);
  });

  test('that are farther off are not given: who asks is told when it is worth asking again', async () => {
    const { one, other } = await twoWorkers();
    expect(await one(1, 60_000)).toEqual({ times: 1, inMs: 0 });
    const { times, inMs } = await other(1, 60_000);
    expect(times).toBe(0);
    expect(60_000 - AHEAD_MS - inMs).toBeLessThan(20_000);
    expect(60_000 - AHEAD_MS - inMs).toBeGreaterThanOrEqual(0);
  });

  test('in which nobody asked are made up for, if it was a moment', async () => {
    const { one, free } = await twoWorkers();
    await free(10_000);
    const { times, inMs } = await one(1000, 1);
    expect([times, inMs]).toEqual([40 + AHEAD_MS + 1, -40]);
  });

  test('are kept as long as they matter, and no longer', async () => {
    const { one, key } = await twoWorkers();
    await one(1, 60_000);
    const ttl = await own().redis.pttl(key);
    expect(ttl).toBeGreaterThan(40_000);
    expect(ttl).toBeLessThan(62_000);
  });

  test('a third of a millisecond apart are so: next to nothing is lost by rounding', async () => {
    const intervalMs = 1 / 3;
    const { one, free, key } = await twoWorkers();
    let microseconds = 0;
    for (let n = 0; n < 20; ) {
      // Ahead of now, where Redis' clock does not move it on: unless a busy machine takes longer than that.
      await free(-10);
      const before = Number(await own().redis.get(key));
      await one(1, intervalMs);
      const after = Number(await own().redis.get(key));
      const [seconds, micros] = await own().redis.time();
      if (Number(seconds) * 1e6 + Number(micros) > before) continue;
      microseconds += after - before;
      n += 1;
    }
    expect(Math.abs(microseconds / (20 * intervalMs * 1000) - 1)).toBeLessThan(0.001);
  });
});
