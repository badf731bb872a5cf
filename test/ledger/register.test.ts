import { expect, test } from 'vitest';
import { registerWorker } from '../../src/ledger/epoch.ts';
import { openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

/** Resolves when it is known, with whom it has waited for. */
async function known(epoch: string, worker: string): Promise<readonly string[]> {
  const waitedFor = new Set<string>();
  const isGone = (other: string) => {
    waitedFor.add(other);
    return false;
  };
  await registerWorker(own().redis, epoch, { worker, isGone });
  return [...waitedFor];
}

/** A worker that was heard of and told of the others so long ago (ms). */
async function silentMember(epoch: string, name: string, agoMs: number): Promise<void> {
  const [seconds = 0, microseconds = 0] = await own().redis.time();
  const at = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) - agoMs;
  await own().redis.hset(epoch, { [`m:${name}`]: 1, [`b:${name}`]: at, [`k:${name}`]: at });
}

test('with nobody else about, a new worker waits for nobody', async () => {
  const keys = ownKeys();
  await openTestEpoch(own().redis, keys, { worker: 'a' });
  expect(await known(keys.epoch, 'a')).toEqual([]);
});

test('beside another, it waits until that one has been told of it', async () => {
  const keys = ownKeys();
  await openTestEpoch(own().redis, keys, { worker: 'a' });
  await openTestEpoch(own().redis, keys, { worker: 'b' });
  const joined = await own().redis.time();
  await known(keys.epoch, 'b');
  const told = Number(await own().redis.hget(keys.epoch, 'k:a'));
  expect(told).toBeGreaterThanOrEqual(Number(joined[0]) * 1000 + Math.floor(Number(joined[1]) / 1000));
});

test('one that was not heard of for long is not waited for', async () => {
  const keys = ownKeys();
  await openTestEpoch(own().redis, keys, { worker: 'a' });
  await silentMember(keys.epoch, 'gone', 6_000);
  expect(await known(keys.epoch, 'a')).toEqual([]);
});

test('one that is silent from now on is waited for, but not for ever', async () => {
  const keys = ownKeys();
  await openTestEpoch(own().redis, keys, { worker: 'a' });
  await silentMember(keys.epoch, 'silent', 1_000);
  expect(await known(keys.epoch, 'a')).toEqual(['silent']);
});
