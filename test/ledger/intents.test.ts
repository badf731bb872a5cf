import { expect, onTestFinished, test } from 'vitest';
import { type IntendEdges, type Intent, intendRows } from '../../src/ledger/intents.ts';
import { createRunStore } from '../../src/ledger/run-store.ts';
import { memoryJournal, openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

async function runningRun(problem: string | null = null) {
  const { redis } = own();
  const keys = ownKeys();
  const epoch = await openTestEpoch(redis, keys);
  const store = createRunStore(redis, keys, () => new Date());
  const { id: run } = newRun({ rows: 3 });
  await store.register(newRun({ id: run, rows: 3 }));
  await store.transition(run, 'running', null);
  const journal = memoryJournal(problem);
  const edges: IntendEdges = { epoch, keys, journal, run, probeMs: 5_000 };
  return { edges, journal, run, marks: () => redis.hgetall(`${keys.run(run).chunk}1`) };
}

const intent = (row: number): Intent => ({
  chunk: 1,
  row,
  mark: `i a ${row}`,
  expected: '',
  identity: null,
  fields: null,
  repeatable: false,
});

/** The ledger's user may not write any more. */
async function refuseWrites(): Promise<void> {
  const { redis } = own();
  onTestFinished(async () => void (await redis.acl('SETUSER', 'default', '+hset')));
  await redis.acl('SETUSER', 'default', '-hset');
}

test('intents that Redis refuses are withdrawn in the journal, after they were written there', async () => {
  const { edges, journal, run, marks } = await runningRun();
  await refuseWrites();
  await expect(intendRows([intent(1), intent(2)], edges)).rejects.toThrow(/can.t run this command/);
  expect(journal.records.map(({ kind }) => kind)).toEqual(['intended', 'withdrawn']);
  expect(journal.records[1]).toEqual({
    kind: 'withdrawn',
    run,
    rows: [
      [1, 1, 'i a 1'],
      [1, 2, 'i a 2'],
    ],
  });
  expect(await marks()).toEqual({});
});

test('intents that are granted are not', async () => {
  const { edges, journal, marks } = await runningRun();
  expect(await intendRows([intent(1)], edges)).toEqual([{ kind: 'granted' }]);
  expect(journal.records.map(({ kind }) => kind)).toEqual(['intended']);
  expect(await marks()).toEqual({ 1: 'i a 1' });
});

test('where the journal can not be written, intents that were not granted are withdrawn there as well', async () => {
  const { edges, journal, marks } = await runningRun('the disk is broken');
  const other = { ...edges, journal: memoryJournal() };
  expect(await intendRows([{ ...intent(1), mark: 'i b 1' }], other)).toEqual([{ kind: 'granted' }]);
  expect(await intendRows([intent(1), intent(2)], edges)).toEqual([
    { kind: 'taken' },
    { kind: 'unwritten', problem: 'the disk is broken' },
  ]);
  const withdrawn = journal.records.flatMap((record) => (record.kind === 'withdrawn' ? record.rows : []));
  expect(withdrawn).toEqual([
    [1, 1, 'i a 1'],
    [1, 2, 'i a 2'],
  ]);
  expect(await marks()).toEqual({ 1: 'i b 1' });
});
