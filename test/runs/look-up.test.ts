import { expect, test } from 'vitest';
import { createRunStore } from '../../src/ledger/run-store.ts';
import { createRunView, readSightings } from '../../src/ledger/run-view.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { conclude, lookUpDoubts } from '../../src/runs/look-up.ts';
import type { Sighting } from '../../src/service/look-up.ts';
import { doubtOf, seedRun } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

/** Looks a run's rows up at a service that knows these keys; answers what was asked for and what became of the rows. */
async function lookUpAll(settlements: readonly Settlement[], known: Readonly<Record<string, string>>) {
  const { redis } = own();
  const keys = ownKeys();
  const run = await seedRun(redis, keys, { run: newRun(), settlements, closed: true });
  const asked: string[] = [];
  const lookUp = async (key: string): Promise<Sighting> => {
    asked.push(key);
    const id = known[key];
    return id === undefined ? { kind: 'not-found' } : { kind: 'found', id };
  };
  const { signal } = new AbortController();
  const store = createRunStore(redis, keys, () => new Date());
  const looked = await lookUpDoubts(
    { run, lookUp, absenceIsProof: false, concurrency: 2, signal },
    { redis, of: () => ({ keys, store }) },
  );
  const ended: Settlement[] = [];
  for await (const { settlements: rows } of createRunView(redis, keys, run).chunks()) ended.push(...rows);
  const rows = settlements.map(({ row }) => row);
  const sightings = await readSightings(redis, keys.run(run.id), rows);
  return { looked, asked, ended: ended.map(({ outcome, id }) => [outcome, id]), sightings };
}

test('rows of one key are asked for once, and settled as the one record that they are', async () => {
  const doubts = [doubtOf(1, { key: 'A' }), doubtOf(2, { key: 'A' }), doubtOf(3, { key: 'B' })];
  const { looked, asked, ended } = await lookUpAll(doubts, { A: 'sub-1' });
  expect(asked).toEqual(['A', 'B']);
  expect(looked).toMatchObject({ created: 2, notCreated: 0, open: 1, left: 0 });
  expect(ended).toEqual([
    ['created', 'sub-1'],
    ['created', 'sub-1'],
    ['in-doubt', ''],
  ]);
});

test('one record found for two keys, or that another row of the run has, settles nothing', async () => {
  const doubts = [
    doubtOf(1, { key: 'A' }),
    doubtOf(2, { key: 'B' }),
    doubtOf(3, { key: 'C' }),
    doubtOf(4, { key: 'D', outcome: 'created', id: 'sub-4' }),
  ];
  const { looked, sightings } = await lookUpAll(doubts, { A: 'sub-1', B: 'sub-1', C: 'sub-4' });
  expect(looked).toMatchObject({ created: 0, open: 3 });
  // Kept for whoever decides on them.
  expect([...sightings].map(([row, { kind, ids }]) => [row, kind, ids])).toEqual([
    [1, 'found', ['sub-1']],
    [2, 'found', ['sub-1']],
    [3, 'found', ['sub-4']],
  ]);
});

const DOUBT = doubtOf(7);
const AT = new Date('2026-11-21T10:00:00Z');
const PLAIN = { absenceIsProof: false, sharedBy: [7], at: AT };

test('a record that is found is the row’s', () => {
  expect(conclude(DOUBT, { kind: 'found', id: 'a' }, PLAIN)).toEqual({
    kind: 'decided',
    decision: { kind: 'created', id: 'a' },
  });
});

test('a record that would be other rows’ too proves nothing', () => {
  const concluded = conclude(DOUBT, { kind: 'found', id: 'a' }, { ...PLAIN, sharedBy: [9, 7] });
  expect(concluded).toMatchObject({ kind: 'open', note: { code: 'timeout', row: 7 } });
  expect(JSON.stringify(concluded)).toContain('rows 7, 9');
});

test('not found is not created only where the user says that absence is proof', () => {
  expect(conclude(DOUBT, { kind: 'not-found' }, { ...PLAIN, absenceIsProof: true })).toEqual({
    kind: 'decided',
    decision: { kind: 'not-created' },
  });
  expect(conclude(DOUBT, { kind: 'not-found' }, PLAIN)).toMatchObject({
    kind: 'open',
    note: {
      message: 'no answer',
      values: { lookedUp: '2026-11-21T10:00:00.000Z: not found, which is no proof' },
    },
  });
});

test('found more than once: the row says so, with the ids', () => {
  const concluded = conclude(DOUBT, { kind: 'found-twice', ids: ['a', 'b', 'c'], count: 4 }, PLAIN);
  expect(concluded).toMatchObject({ kind: 'open', note: { code: 'found_twice', outcome: 'in-doubt' } });
  expect(JSON.stringify(concluded)).toContain('found 4 times, as a, b, c and 1 more');
});

test('what an earlier look-up said gives way', () => {
  const first = conclude(DOUBT, { kind: 'unclear', why: 'First.' }, PLAIN);
  const note = first.kind === 'open' ? first.note : DOUBT;
  expect(conclude(note, { kind: 'unclear', why: 'Second.' }, PLAIN)).toMatchObject({
    note: { message: 'no answer', values: { lookedUp: '2026-11-21T10:00:00.000Z: Second.' } },
  });
});
