import { expect, test } from 'vitest';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import { openTestEpoch } from '../../support/epoch.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { ownKeys } from '../../support/runs.ts';
import { setEpoch } from '../../support/stored.ts';

const own = useOwnRedis();

async function redisNow(): Promise<number> {
  const [seconds = 0, microseconds = 0] = await own().redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** Resolves when the worker may do something, with whom it has waited for, and how long (ms). */
async function known(keys: LedgerKeys, worker: string) {
  const waitedFor = new Set<string>();
  const isDead = (other: string) => {
    waitedFor.add(other);
    return false;
  };
  const began = performance.now();
  await openTestEpoch(own().redis, keys, { worker, isDead });
  return { waitedFor: [...waitedFor], ms: performance.now() - began };
}

/** A worker that was last heard of so long ago (ms). */
async function suspectMember(keys: LedgerKeys, name: string, agoMs: number): Promise<void> {
  const at = (await redisNow()) - agoMs;
  await setEpoch(own().redis, keys, { sequences: { [name]: 1 }, heard: { [name]: at } });
}

test('beside another, a new worker waits until that one has read of it', async () => {
  const keys = ownKeys();
  await known(keys, 'a');
  const before = await redisNow();
  expect((await known(keys, 'b')).waitedFor).toEqual(['a']);
  expect(Number(await own().redis.hget(keys.epoch, 'b:a'))).toBeGreaterThan(before);
});

test('two that come at the same moment do not wait for each other’s next heartbeat in vain', async () => {
  const keys = ownKeys();
  const both = await Promise.all([known(keys, 'a'), known(keys, 'b')]);
  expect(Math.max(...both.map(({ ms }) => ms))).toBeLessThan(4_000);
});

test('one that was not heard of for long is no worker any more', async () => {
  const keys = ownKeys();
  await known(keys, 'a');
  await suspectMember(keys, 'long', 6_000);
  expect((await known(keys, 'b')).waitedFor).not.toContain('long');
  expect(await own().redis.hgetall(keys.epoch)).not.toHaveProperty('m:long');
});

test('one that is suspect from now on is waited for, but not for ever', async () => {
  const keys = ownKeys();
  await known(keys, 'a');
  await suspectMember(keys, 'suspect', 1_000);
  expect((await known(keys, 'b')).waitedFor).toContain('suspect');
  expect(await own().redis.hgetall(keys.epoch)).not.toHaveProperty('m:suspect');
}, 15_000);
