import { expect, test } from 'vitest';
import {
  knownIds,
  showTried,
  takeBackAdopted,
  triedBefore,
  trustAdopted,
} from '../../../src/engine/ledger/adoption.ts';
import { readKeys } from '../../../src/engine/ledger/key-claims.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import { claimOf, runningRun, settleEntries, settlementsOf } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';
import { loseLedger, setAccepted, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();
const SPACE = 'subclient';
const REQUEST = { by: 'ann', at: '2026-11-21T11:00:00.000Z', why: 'wrong ids' };
const placeOf = (key: string) => ({ space: SPACE, key });
const adopted = (row: number) =>
  settledRow(row, 'adopted', { status: 0, identity: placeOf(`K${row}`), content: '' });

async function startBench(rows = 3) {
  const bench = await runningRun(own().redis, { rows });
  const k = bench.keys.run(bench.id);
  await setRecord(own().redis, k, { operation: 'subclient.adopt' });
  await claimOf(
    bench,
    bench.id,
    Array.from({ length: rows }, (_, i) => [i + 1, `K${i + 1}`] as const),
  );
  return bench;
}

type Bench = Awaited<ReturnType<typeof startBench>>;

async function idsIn({ keys, id }: Bench): Promise<string[]> {
  const ids: string[] = [];
  for await (const { run, id: recordId, row } of knownIds(own().redis, keys, SPACE)) {
    expect(run).toBe(id);
    ids.push(`${row} ${recordId}`);
  }
  return ids.sort();
}

const stateOf = async ({ keys }: Bench, key: string) =>
  (await readKeys(own().redis, keys, { space: SPACE, names: [key] })).get(key);

test('an adopted row makes its key known with its id, and a journal puts both back', async () => {
  const bench = await startBench();
  const rows = [adopted(1), adopted(2)];
  expect(await bench.ledger.settleAll(rows)).toEqual(new Set());
  expect(await stateOf(bench, 'K1')).toMatchObject({ kind: 'known', id: 'id-1', run: bench.id, row: 1 });
  expect(await idsIn(bench)).toEqual(['1 id-1', '2 id-2']);

  await loseLedger(own().redis, bench.keys);
  expect(await idsIn(bench)).toEqual([]);
  await createReplay(own().redis, bench.keys).settled(bench.id, settleEntries(bench.keys, rows));
  expect(await idsIn(bench)).toEqual(['1 id-1', '2 id-2']);
});

test('five records go before a person trusts the adoption; who was not sent counts for nothing', async () => {
  const bench = await startBench(9);
  const updating = await runningRun(own().redis, { keys: bench.keys, rows: 9 });
  const trying = (row: number, run = updating.id) =>
    triedBefore(own().redis, bench.keys, { run, madeBy: bench.id, row, id: `id-${row}` });
  for (const row of [1, 2, 3, 4, 5]) expect(await trying(row)).toBeNull();
  const open = await trying(6);
  expect(open?.map(({ row, outcome }) => `${row} ${outcome}`)).toEqual(
    [1, 2, 3, 4, 5].map((row) => `${row} pending`),
  );
  // One of them may be tried again, by whoever.
  expect(await trying(3, 'later')).toBeNull();

  await updating.ledger.settleAll([
    settledRow(1, 'updated'),
    settledRow(2, 'cancelled'),
    settledRow(3, 'failed'),
  ]);
  expect(await trying(6)).toBeNull();
  const tried = await trying(7);
  expect(tried?.map(({ row, outcome }) => `${row} ${outcome}`)).toEqual([
    '1 updated',
    '3 failed',
    '4 pending',
    '5 pending',
    '6 pending',
  ]);
  // Nobody waits for rows of a run that stands still.
  await updating.store.transition(updating.id, 'paused', 'requested');
  expect(await trying(8)).toBeNull();

  const shown = { run: updating.id, madeBy: bench.id, words: 'look' };
  await showTried(own().redis, bench.keys, shown);
  expect((await updating.run()).problem).toBe('look');
  await trustAdopted(own().redis, bench.keys, { run: updating.id, by: 'ann', at: REQUEST.at });
  for (const row of [7, 8, 9]) expect(await trying(row, 'later')).toBeNull();
});

test('a record that a run has created is updated without a look', async () => {
  const bench = await runningRun(own().redis, { rows: 9 });
  for (const row of [1, 2, 3, 4, 5, 6, 7]) {
    const tried = await triedBefore(own().redis, bench.keys, {
      run: 'r',
      madeBy: bench.id,
      row,
      id: `i${row}`,
    });
    expect(tried).toBeNull();
  }
});

test.each([
  ['open', false],
  ['closed', true],
])(
  'what is taken back of a chunk that is %s is free for other rows; what was updated stays',
  async (_, isClosed) => {
    const bench = await startBench();
    await bench.ledger.settleAll([adopted(1), adopted(2), adopted(3)]);
    if (isClosed) await bench.ledger.close(1, 3);
    // An update of this one is under way, or its outcome is unknown.
    await setAccepted(own().redis, bench.keys, placeOf('K2'), '~other.1');
    // A run has had this one in its file.
    await claimOf(bench, 'before', [[1, 'K3']]);
    const of = { placeOf, request: REQUEST, rows: null };
    const undo = async (metCounts: boolean) =>
      takeBackAdopted(own().redis, bench.keys, { ...of, run: await bench.run(), metCounts });
    expect(await undo(true)).toEqual({ back: 1, kept: 2 });
    expect(await undo(false)).toEqual({ back: 1, kept: 1 });
    expect(await undo(false)).toEqual({ back: 0, kept: 1 });

    expect(await idsIn(bench)).toEqual(['2 id-2']);
    expect((await stateOf(bench, 'K1'))?.kind).toBe('given-back');
    expect(
      await claimOf(bench, 'later', [
        [1, 'K1'],
        [2, 'K2'],
      ]),
    ).toMatchObject([{ kind: 'claimed' }, { kind: 'known' }]);
    const run = await bench.run();
    expect(run.outcomes).toMatchObject({ adopted: 1, cancelled: 2 });
    const settled = await settlementsOf(own().redis, bench.keys, run);
    expect(settled.map(({ outcome, code }) => `${outcome} ${code}`)).toEqual([
      'cancelled adoption_undone',
      'adopted ',
      'cancelled adoption_undone',
    ]);
    const [entry = ''] = await own().redis.lrange(bench.keys.audit, -1, -1);
    expect(JSON.parse(entry)).toMatchObject({
      what: 'adoption-undone',
      of: { count: 1, kept: 1, why: 'wrong ids' },
    });
  },
);
