import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { becomeKnown } from '../../src/ledger/become-known.ts';
import { openTestGate } from '../support/gate.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

async function secondsUntilKnown(gate: string, member: string): Promise<number> {
  const from = performance.now();
  await becomeKnown(own().redis, gate, { member, isGone: () => false });
  return (performance.now() - from) / 1000;
}

/** A member that was heard of and told of the others so long ago (ms). */
async function silentMember(gate: string, name: string, agoMs: number): Promise<void> {
  const [seconds = 0, microseconds = 0] = await own().redis.time();
  const at = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) - agoMs;
  await own().redis.hset(gate, { [`m:${name}`]: 1, [`b:${name}`]: at, [`k:${name}`]: at });
}

test('with nobody else about, a new member waits for nobody', async () => {
  const keys = ownKeys();
  await openTestGate(own().redis, keys, { member: 'a' });
  expect(await secondsUntilKnown(keys.gate, 'a')).toBeLessThan(0.5);
});

test('beside another, it waits until that one has been told of it', async () => {
  const keys = ownKeys();
  await openTestGate(own().redis, keys, { member: 'a' });
  await openTestGate(own().redis, keys, { member: 'b' });
  const joined = await own().redis.time();
  expect(await secondsUntilKnown(keys.gate, 'b')).toBeLessThan(3);
  const told = Number(await own().redis.hget(keys.gate, 'k:a'));
  expect(told).toBeGreaterThanOrEqual(Number(joined[0]) * 1000 + Math.floor(Number(joined[1]) / 1000));
});

test('one that was not heard of for long is not waited for', async () => {
  const keys = ownKeys();
  await openTestGate(own().redis, keys, { member: 'a' });
  await silentMember(keys.gate, 'gone', 6_000);
  expect(await secondsUntilKnown(keys.gate, 'a')).toBeLessThan(0.5);
});

test('one that is silent from now on is waited for no longer than a few seconds', async () => {
  const keys = ownKeys();
  await openTestGate(own().redis, keys, { member: 'a' });
  await silentMember(keys.gate, 'silent', 3_000);
  const seconds = await secondsUntilKnown(keys.gate, 'a');
  expect(seconds).toBeGreaterThan(1.5);
  expect(seconds).toBeLessThan(4);
});
