import { expect, test } from 'vitest';
import { recordAct } from '../../../src/engine/ledger/audit.ts';
import { readStory } from '../../../src/engine/ledger/display.ts';
import { createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import { readBriefs } from '../../../src/engine/ledger/run-record.ts';
import { tellStory } from '../../../src/model/story.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { beginRun, newRun, ownStore } from '../../support/runs.ts';
import { appendStory, counted, setOfRun, setRecord, storyTexts } from '../../support/stored.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');

const openLedger = () => ownStore(own().redis, NOW);

test('what happened is told in its order, but for what this version does not know', async () => {
  const { redis, keys } = openLedger();
  const k = keys.run('r');
  await appendStory(redis, k, 'not ours', '{"at":1,"what":"of a later version","why":"","by":""}');
  await recordAct(redis, keys, { what: 'service-away', run: 'r', of: { why: 'refused', until: '' } });
  expect(await readStory(redis, keys, 'r')).toEqual([
    { at: expect.any(Number), what: 'service-away', why: 'refused', by: '' },
  ]);
});

test('what happens by itself is told with its times and processes, and as nobody’s act', async () => {
  const { redis, keys } = openLedger();
  const at = (time: string) => `2026-11-21T${time}.000Z`;
  const lost = { who: 'process 7 on a', heard: at('05:22:10'), foundBy: 'process 8 on a' };
  await recordAct(redis, keys, { what: 'process-lost', run: 'r', of: lost });
  const taken = { who: 'process 8 on a', after: 'process 7 on a' };
  await recordAct(redis, keys, { what: 'taken-over', run: 'r', of: taken });
  const away = { from: at('05:30:00'), until: at('05:31:00') };
  await recordAct(redis, keys, { what: 'redis-away', run: 'r', of: away });
  await recordAct(redis, keys, { what: 'service-held', run: 'r', of: { why: '', until: at('06:00:00') } });
  const told = tellStory({ startedAt: null }, await readStory(redis, keys, 'r')).map(({ words }) => words);
  expect(told).toEqual([
    'a process was lost: process 7 on a, last heard of 2026-11-21 05:22:10 UTC, found by process 8 on a',
    'another process reads its rows: process 8 on a, after process 7 on a',
    'Redis was away: from 2026-11-21 05:30:00 UTC, until 2026-11-21 05:31:00 UTC',
    'the service asked for a pause: until 2026-11-21 06:00:00 UTC',
  ]);
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
  const [registered = ''] = await storyTexts(redis, keys.run(id));
  await appendStory(redis, keys.run(id), ...Array.from({ length: 504 }, () => registered));
  await store.transition(id, 'running', null);
  const story = await readStory(redis, keys, id);
  expect([story.length, story[0]?.what, story.at(-1)?.what]).toEqual([500, 'registered', 'began']);
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
