import { expect, test } from 'vitest';
import { createCensus } from '../../../src/engine/ledger/census.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { beginRun, newRun, ownStore } from '../../support/runs.ts';
import { counted, lose, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');

function openLedger() {
  const { redis, keys, store } = ownStore(own().redis, NOW);
  return { redis, keys, store, census: createCensus(redis, keys) };
}

test('runs are counted by state, and their open rows and rows in doubt by job', async () => {
  const { redis, keys, store, census } = openLedger();
  const [first, second] = [newRun({ job: 'a', rows: 10 }), newRun({ job: 'a', rows: 5 })];
  for (const run of [first, second, newRun({ job: 'b' })]) await store.register(run);
  await store.transition(first.id, 'running', null);
  await setRecord(redis, keys.run(first.id), counted({ created: 4, 'in-doubt': 2 }));
  const found = await census();
  expect(Object.fromEntries(found.states)).toEqual({ queued: 2, running: 1 });
  expect(Object.fromEntries(found.pendingRows)).toEqual({ a: 9, b: 3 });
  expect(Object.fromEntries(found.inDoubt)).toEqual({ a: 2, b: 0 });
});

test('a run that is over is read once, counts on, and is the last end of its job', async () => {
  const { redis, keys, store, census } = openLedger();
  const k = keys.run(await beginRun(store, 'a', 'finished'));
  await setRecord(redis, k, counted({ created: 2, rejected: 1 }));
  await census();
  await setRecord(redis, k, { ...counted({ rejected: 0 }), state: 'paused' });
  const after = await census();
  expect(Object.fromEntries(after.states)).toEqual({ finished: 1 });
  expect(after.lastEnds.get('a')).toEqual({ endedAt: NOW.getTime() / 1000, seconds: 0, exitCode: 1 });
});

test('a run with rows in doubt is read until they are settled', async () => {
  const { redis, keys, store, census } = openLedger();
  const k = keys.run(await beginRun(store, 'a', 'finished'));
  await setRecord(redis, k, counted({ created: 2, 'in-doubt': 1 }));
  expect((await census()).inDoubt.get('a')).toBe(1);
  await setRecord(redis, k, counted({ 'in-doubt': 0, created: 3 }));
  const after = await census();
  expect(after.inDoubt.get('a')).toBe(0);
  expect(after.lastEnds.get('a')?.exitCode).toBe(0);
});

test('a run that Redis has forgotten does not count any more', async () => {
  const { redis, keys, store, census } = openLedger();
  await beginRun(store, 'a', 'finished');
  await census();
  await lose(redis, keys.runs);
  expect([...(await census()).states]).toEqual([]);
});
