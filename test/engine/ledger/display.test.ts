import { expect, test } from 'vitest';
import { addToStory, readStory } from '../../../src/engine/ledger/display.ts';
import { createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import { readBriefs } from '../../../src/engine/ledger/run-record.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { beginRun, newRun, ownStore } from '../../support/runs.ts';
import { appendStory, counted, setOfRun, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');

const openLedger = () => ownStore(own().redis, NOW);

test('what happened is told in its order, but for what this version does not know', async () => {
  const { redis, keys } = openLedger();
  const k = keys.run('r');
  await appendStory(redis, k, 'not ours', '{"at":1,"what":"of a later version","why":"","by":""}');
  const away = { at: 1, what: 'service-away', why: 'refused', by: '' } as const;
  await addToStory(redis, k, away);
  expect(await readStory(redis, keys, 'r')).toEqual([away]);
});

test('a run that moves tells so in its story, with who asked; one that may not move tells nothing', async () => {
  const { redis, keys, store } = openLedger();
  const id = await beginRun(store, 'a', 'running');
  await store.transition(id, 'paused', 'requested', { by: 'ops-1', at: NOW.toISOString(), why: 'lunch' });
  await store.transition(id, 'paused', 'requested');
  await store.transition(id, 'running', null);
  await store.transition(id, 'paused', 'credentials');
  const story = await readStory(redis, keys, id);
  const at = NOW.getTime();
  const by = keys.actor.name;
  expect(story.slice(1)).toEqual([
    { at, what: 'began', why: '', by: '' },
    { at, what: 'paused', why: 'lunch', by },
    { at, what: 'resumed', why: '', by },
    { at, what: 'paused', why: 'credentials', by: '' },
  ]);
});

test('a story keeps its latest 500 events', async () => {
  const { redis, keys, store } = openLedger();
  const id = await beginRun(store, 'a', 'queued');
  const events = Array.from(
    { length: 505 },
    (_, at) => ({ at, what: 'service-away', why: '', by: '' }) as const,
  );
  await appendStory(redis, keys.run(id), ...events.slice(1).map((event) => JSON.stringify(event)));
  await store.transition(id, 'running', null);
  const story = await readStory(redis, keys, id);
  expect([story.length, story[0]?.at, story.at(-1)?.what]).toEqual([500, 6, 'began']);
});

test('what counts of runs is read without their definition; a run that is gone is left out', async () => {
  const { redis, keys, store } = openLedger();
  const run = newRun({ rows: 250 });
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await store.transition(run.id, 'cancelled', null, { by: 'ops-1', at: NOW.toISOString(), why: '' });
  await setRecord(redis, keys.run(run.id), counted({ created: 4 }));
  await setOfRun(redis, keys.run(run.id), 'blocks', { 1: 'a block' });
  const [brief, ...others] = await readBriefs(redis, keys, ['gone', run.id]);
  expect(others).toEqual([]);
  const { chunks, ...counts } = brief ?? {};
  expect(chunks).toBe(3);
  expect(Object.keys(counts)).toEqual(expect.arrayContaining(['state', 'request', 'rows', 'outcomes']));
  expect(await store.get(run.id)).toMatchObject(counts);
});

test('the newest runs are paged by rank', async () => {
  const { redis } = openLedger();
  const index = createRunIndex(redis);
  for (let n = 1; n <= 5; n += 1) await index.add(`r${n}`, 'sandbox', new Date(n));
  const page = async (...args: Parameters<typeof index.latest>) =>
    (await index.latest(...args)).map(({ run }) => run);
  expect([await page(2), await page(2, 2), await page(2, 4)]).toEqual([['r5', 'r4'], ['r3', 'r2'], ['r1']]);
});
