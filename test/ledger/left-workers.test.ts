import { expect, test } from 'vitest';
import { z } from 'zod';
import { inEpoch } from '../../src/ledger/epoch.ts';
import { openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();
const count = inEpoch('return 1', z.number());

/** A worker has seen another, which has left since, when Redis comes back without what the first had recorded last. */
async function afterLosing(workers: readonly string[]) {
  const { redis } = own();
  const keys = ownKeys();
  const notices: string[] = [];
  const over = { graceMs: 1_500, onNotice: (text: string) => void notices.push(text) };
  const leaver = await openTestEpoch(redis, keys, { worker: 'leaver' });
  const epoch = await openTestEpoch(redis, keys, { worker: 'a', ...over });
  await epoch.call(count, [], []);
  await leaver.close();
  if (workers.length > 0) await redis.zrem(keys.left, ...workers);
  await redis.hset(keys.epoch, { server: 'an-earlier-run', 'm:a': 0 });
  await epoch.call(count, [], []);
  return notices;
}

test('a worker whose leaving Redis has not lost is not waited for', async () => {
  expect(await afterLosing([])).toEqual([expect.stringContaining('checked against the journals')]);
});

test('one whose leaving it has lost is: so may be what it did', async () => {
  expect(await afterLosing(['leaver'])).toEqual([
    expect.stringContaining('checked against the journals'),
    expect.stringContaining('Waiting'),
    expect.stringContaining('did not check in'),
  ]);
});

test('that a worker has left is forgotten when it was let go long ago', async () => {
  const { redis } = own();
  const keys = ownKeys();
  await redis.zadd(keys.left, 1, 'long-ago');
  await openTestEpoch(redis, keys);
  expect(await redis.zscore(keys.left, 'long-ago')).toBeNull();
});
