import { expect, test } from 'vitest';
import { createRunView } from '../../src/ledger/run-view.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { lookUpDoubts } from '../../src/runs/look-up-doubts.ts';
import type { Sighting } from '../../src/service/look-up.ts';
import { doubtOf, seedRun } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

/** Looks a run's rows up at a service that knows these keys; answers what was asked for and what became of the rows. */
async function lookUp(settlements: readonly Settlement[], known: Readonly<Record<string, string>>) {
  const { redis } = own();
  const keys = ownKeys();
  const run = await seedRun(redis, keys, { run: newRun(), settlements, closed: true });
  const asked: string[] = [];
  const looked = await lookUpDoubts({
    redis,
    keys,
    run,
    async lookUp(key): Promise<Sighting> {
      asked.push(key);
      const id = known[key];
      return id === undefined ? { kind: 'not-found' } : { kind: 'found', id };
    },
    absenceIsProof: false,
    concurrency: 2,
    now: () => new Date(),
    signal: new AbortController().signal,
  });
  const ended: Settlement[] = [];
  for await (const batch of createRunView(redis, keys, run).settlements()) ended.push(...batch);
  return { looked, asked, ended: ended.map(({ outcome, id }) => [outcome, id]) };
}

test('rows of one key are asked for once, and settled as the one record that they are', async () => {
  const doubts = [doubtOf(1, { key: 'A' }), doubtOf(2, { key: 'A' }), doubtOf(3, { key: 'B' })];
  const { looked, asked, ended } = await lookUp(doubts, { A: 'sub-1' });
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
  const { looked } = await lookUp(doubts, { A: 'sub-1', B: 'sub-1', C: 'sub-4' });
  expect(looked).toMatchObject({ created: 0, open: 3 });
});
