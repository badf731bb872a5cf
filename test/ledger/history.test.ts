import { expect, test } from 'vitest';
import { readBriefs } from '../../src/ledger/brief.ts';
import { addAttempts, addToStory, keepPulse, readAttempts, readHistory } from '../../src/ledger/history.ts';
import { createRunIndex } from '../../src/ledger/run-index.ts';
import { createRunStore } from '../../src/ledger/run-store.ts';
import { slotOf } from '../../src/model/history.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');

function openLedger() {
  const { redis } = own();
  const keys = ownKeys();
  return { redis, keys, store: createRunStore(redis, keys, () => NOW) };
}

test.each([
  [0, 0],
  [1.9, 1],
  [119.9, 119],
  [120, 120],
  [129, 120],
  [3_599, 3_590],
  [3_600, 3_600],
  [3_899, 3_600],
  [86_399, 86_100],
  [86_400, 86_400],
  [90_001, 90_000],
])('the second %d after the start is in the slot %d', (second, slot) => {
  expect(slotOf(second)).toBe(slot);
});

test('a run of a month has fewer than 1,500 slots', () => {
  const slots = new Set<number>();
  for (let second = 0; second < 31 * 86_400; second += 1) slots.add(slotOf(second));
  expect(slots.size).toBeLessThan(1_500);
});

test('the counters are kept as they stood last in each slot, and what happened in its order', async () => {
  const { redis, keys } = openLedger();
  const k = keys.run('r');
  const startedAt = NOW.toISOString();
  for (const [ms, created] of [
    [2_100, 5],
    [2_900, 8],
    [500, 1],
  ] as const)
    await keepPulse(redis, k, { startedAt, outcomes: { ...noOutcomes(), created } }, NOW.getTime() + ms);
  await keepPulse(redis, k, { startedAt: null, outcomes: noOutcomes() }, NOW.getTime());
  await redis.rpush(k.story, 'not ours', '{"at":1,"what":"of a later version","why":"","by":""}');
  await addToStory(redis, k, { at: 1, what: 'rerun', why: 'run-2', by: 'ops-1' });
  const { pulse, story } = await readHistory(redis, keys, 'r');
  expect(pulse.map(({ ms, outcomes }) => [ms, outcomes.created])).toEqual([
    [500, 1],
    [2_900, 8],
  ]);
  expect(story).toEqual([{ at: 1, what: 'rerun', why: 'run-2', by: 'ops-1' }]);
});

test('a run that moves tells so in its story, with who asked; one that may not move tells nothing', async () => {
  const { redis, keys, store } = openLedger();
  const run = newRun();
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await store.transition(run.id, 'paused', 'requested', { by: 'ops-1', at: NOW.toISOString(), why: 'lunch' });
  await store.transition(run.id, 'paused', 'requested');
  await store.transition(run.id, 'running', null);
  await store.transition(run.id, 'paused', 'credentials');
  const { story } = await readHistory(redis, keys, run.id);
  const at = NOW.getTime();
  expect(story).toEqual([
    { at, what: 'running', why: '', by: '' },
    { at, what: 'paused', why: 'lunch', by: 'ops-1' },
    { at, what: 'running', why: '', by: '' },
    { at, what: 'paused', why: 'credentials', by: '' },
  ]);
});

test('a story keeps its latest 500 events', async () => {
  const { redis, keys, store } = openLedger();
  const run = newRun();
  await store.register(run);
  for (let n = 0; n < 505; n += 1)
    await addToStory(redis, keys.run(run.id), { at: n, what: 'service-away', why: '', by: '' });
  await store.transition(run.id, 'running', null);
  const { story } = await readHistory(redis, keys, run.id);
  expect([story.length, story[0]?.at, story.at(-1)?.what]).toEqual([500, 6, 'running']);
});

test('attempts of several workers add up by slot', async () => {
  const { redis, keys } = openLedger();
  const k = keys.run('r');
  const statuses = new Map([
    ['200', 3],
    ['429', 1],
  ]);
  await addAttempts(redis, k, 1.2, { counts: [0, 3, 1], statuses });
  await addAttempts(redis, k, 1.7, { counts: [0, 2], statuses: new Map([['429', 1]]) });
  await addAttempts(redis, k, 130, { counts: [1], statuses: new Map() });
  expect(await readAttempts(redis, keys, 'r')).toEqual([
    { slot: 1, counts: [0, 5, 1], statuses: new Map([['429', 2]]) },
    { slot: 130, counts: [1], statuses: new Map() },
  ]);
});

test('what counts of runs is read without their definition; a run that is gone is left out', async () => {
  const { redis, keys, store } = openLedger();
  const run = newRun({ rows: 250 });
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await store.transition(run.id, 'cancelled', null, { by: 'ops-1', at: NOW.toISOString(), why: '' });
  await redis.hset(keys.run(run.id).record, { 'o:created': 4 });
  await redis.hset(keys.run(run.id).blocks, '1', 'a block');
  const [brief, ...others] = await readBriefs(redis, keys, ['gone', run.id]);
  const whole = await store.get(run.id);
  expect(others).toEqual([]);
  expect(brief).toMatchObject({ chunks: 3 });
  for (const field of [
    'id',
    'file',
    'state',
    'reason',
    'request',
    'rows',
    'outcomes',
    'startedAt',
    'parent',
  ] as const)
    expect(brief?.[field]).toEqual(whole?.[field]);
});

test('the newest runs are paged by rank', async () => {
  const { redis } = openLedger();
  const index = createRunIndex(redis);
  for (let n = 1; n <= 5; n += 1) await index.add(`r${n}`, 'sandbox', new Date(n));
  const page = async (...args: Parameters<typeof index.latest>) =>
    (await index.latest(...args)).map(({ run }) => run);
  expect([await page(2), await page(2, 2), await page(2, 4)]).toEqual([['r5', 'r4'], ['r3', 'r2'], ['r1']]);
});
