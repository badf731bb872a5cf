import { expect, test } from 'vitest';
import { z } from 'zod';
import { gated } from '../../src/ledger/epoch.ts';
import { openTestGate } from '../support/gate.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();
const count = gated('return 1', z.number());

/** A member has seen another, which has left since, when Redis comes back without what the first had recorded last. */
async function afterLosing(fields: readonly string[]) {
  const { redis } = own();
  const keys = ownKeys();
  const notices: string[] = [];
  const over = { graceMs: 1_500, onNotice: (text: string) => void notices.push(text) };
  const leaver = await openTestGate(redis, keys, { member: 'leaver' });
  const gate = await openTestGate(redis, keys, { member: 'a', ...over });
  await gate.call(count, [], []);
  await leaver.close();
  if (fields.length > 0) await redis.hdel(keys.gate, ...fields);
  await redis.hset(keys.gate, { server: 'an-earlier-run', 'm:a': 0 });
  await gate.call(count, [], []);
  return notices;
}

test('a member whose leaving Redis has not lost is not waited for', async () => {
  expect(await afterLosing([])).toEqual([expect.stringContaining('checked against the journals')]);
});

test('one whose leaving it has lost is: so may be what it did', async () => {
  expect(await afterLosing(['l:leaver'])).toEqual([
    expect.stringContaining('checked against the journals'),
    expect.stringContaining('Waiting'),
    expect.stringContaining('did not check in'),
  ]);
});

test('that a member has left is forgotten when it was let go long ago', async () => {
  const { redis } = own();
  const keys = ownKeys();
  await redis.hset(keys.gate, { 'l:long-ago': 1 });
  const gate = await openTestGate(redis, keys);
  await gate.call(count, [], []);
  expect(await redis.hexists(keys.gate, 'l:long-ago')).toBe(0);
});
