import { expect, onTestFinished, test } from 'vitest';
import { exchangeRows } from '../../../src/engine/ledger/exchange.ts';
import type { Intent } from '../../../src/engine/ledger/intent.ts';
import { createBodyTeller } from '../../../src/engine/ledger/refusal-bodies.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { memoryJournal } from '../../support/epoch.ts';
import { intentOn, runningRun as startRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';

const own = useOwnRedis();
type ExchangeEdges = Parameters<typeof exchangeRows>[1];

const intendRows = async (next: readonly Intent[], edges: ExchangeEdges) => {
  const { granted } = await exchangeRows({ ended: [], isFirst: true, ranges: [], next }, edges);
  return [...granted.values()];
};

async function runningRun(problem: string | null = null) {
  const { redis } = own();
  const bench = await startRun(redis, { rows: 3, journal: memoryJournal(problem) });
  const { epoch, keys, journal, id } = bench;
  const edges: ExchangeEdges = {
    verified: epoch,
    keys,
    journal,
    run: await bench.run(),
    seal: CLEAR,
    bodies: createBodyTeller(id),
    probeMs: 5_000,
  };
  return { edges, journal, run: id, marks: () => redis.hgetall(`${keys.run(id).chunk}1`) };
}

const intent = (row: number) => intentOn(row, `i a ${row}`);
const BOTH = [1, 2].map((row) => [1, row, `i a ${row}`]);

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
  expect(journal.records[1]).toEqual({ kind: 'withdrawn', run, rows: BOTH });
  expect(await marks()).toEqual({});
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
  expect(withdrawn).toEqual(BOTH);
  expect(await marks()).toEqual({ 1: 'i b 1' });
});

test('where the journal can not be written, an intent that replaced another stays: the row may have been sent under that', async () => {
  const { edges, marks } = await runningRun('the disk is broken');
  const whole = { ...edges, journal: memoryJournal() };
  await intendRows([intent(1)], whole);
  const again = { ...intent(1), mark: 'i a 2', expected: 'i a 1' };
  expect((await intendRows([again, intent(2)], edges)).map(({ kind }) => kind)).toEqual([
    'unwritten',
    'unwritten',
  ]);
  expect(await marks()).toEqual({ 1: 'i a 2' });
});

test('intents of a machine whose home was taken are withdrawn, and asked about only once they are in Redis and in the journal', async () => {
  const { edges, journal, marks } = await runningRun();
  const recorded: unknown[] = [];
  const taken = async () => {
    recorded.push(
      await marks(),
      journal.records.map(({ kind }) => kind),
    );
    return false;
  };
  const epoch = { ...edges.verified, isOurs: taken };
  const problem = 'ONBOARD_HOME was taken by another machine, container or command, or removed';
  expect(await intendRows([intent(1)], { ...edges, verified: epoch })).toEqual([
    { kind: 'unwritten', problem },
  ]);
  expect(recorded).toEqual([{ 1: 'i a 1' }, ['intended']]);
  expect(await marks()).toEqual({});
});

test('where it can not be told whether the home was taken, nothing is granted', async () => {
  const { edges, marks } = await runningRun();
  const epoch = { ...edges.verified, isOurs: async () => Promise.reject(new Error('EIO')) };
  expect(await intendRows([intent(1)], { ...edges, verified: epoch })).toEqual([
    { kind: 'unwritten', problem: 'EIO' },
  ]);
  expect(await marks()).toEqual({});
});
