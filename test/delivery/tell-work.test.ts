import { expect, test } from 'vitest';
import { createWorkTeller } from '../../src/delivery/tell-work.ts';
import { forgetDoing, keepDoing, readDoing } from '../../src/engine/ledger/display.ts';
import { createMeter } from '../../src/faces/metrics/meter.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';
import { response } from './service/verdicts.ts';

const own = useOwnRedis();
const START = Date.parse('2026-11-21T11:00:00.000Z');

function openWorker() {
  const { redis } = own();
  const keys = ownKeys();
  const meter = createMeter();
  const delivery = { load: () => ({ inFlight: 3, limit: 20 }), runsInHand: () => ['r1', 'queued'] };
  const tell = createWorkTeller({ redis, keys, meter, delivery }, 'me 1');
  return { redis, keys, meter, tell };
}

test('attempts are told as a rate since they were told last', async () => {
  const { redis, keys, meter, tell } = openWorker();
  await tell(START);
  meter.attempted('subclient.create', response(200), 1);
  meter.attempted('subclient.create', response(429), 1);
  await tell(START + 500);
  expect(await readDoing(redis, keys, START)).toMatchObject([{ rate: 4, runs: ['r1', 'queued'] }]);
});

test('what a worker does is there while it does it, and gone a minute after it was told last', async () => {
  const { redis, keys, tell } = openWorker();
  await tell(START);
  const [doing] = await readDoing(redis, keys, START + 59_000);
  expect(doing).toEqual({
    worker: 'me 1',
    at: START,
    inFlight: 3,
    limit: 20,
    rate: 0,
    runs: ['r1', 'queued'],
  });
  expect(await readDoing(redis, keys, START + 60_000)).toEqual([]);
  await keepDoing(redis, keys, 'other', { at: START + 60_000, inFlight: 0, limit: 1, rate: 0, runs: [] });
  expect(await redis.hkeys(keys.doing)).toEqual(['other']);
  await forgetDoing(redis, keys, 'other');
  expect(await redis.exists(keys.doing)).toBe(0);
});
