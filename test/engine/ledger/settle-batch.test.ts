import { expect, test } from 'vitest';
import type { ChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import type { Intent } from '../../../src/engine/ledger/intent.ts';
import { readKeys } from '../../../src/engine/ledger/key-claims.ts';
import { createRunView } from '../../../src/engine/ledger/run-view.ts';
import { memoryJournal } from '../../support/epoch.ts';
import { entriesIn, intentOn, runningRun as startRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';

const intendAll = async (ledger: ChunkLedger, next: readonly Intent[]) => [
  ...(await ledger.exchange({ ended: [], next })).granted.values(),
];

const own = useOwnRedis();
const SPACE = 'subclient';

const identity = (row: number) => ({ space: SPACE, key: `K${row}` });
const intent = (row: number, mark: string) =>
  intentOn(row, mark, { chunk: row < 10 ? 1 : 2, identity: identity(row) });
const created = (row: number, mark: string, id = `id-${row}`) =>
  settledRow(row, 'created', {
    id,
    mark,
    chunk: row < 10 ? 1 : 2,
    identity: identity(row),
  });

async function runningRun() {
  const { redis } = own();
  const { keys, ledger, run } = await startRun(redis, { rows: 15, chunkRows: 9 });
  const known = async (row: number) =>
    (await readKeys(redis, keys, { space: SPACE, names: [`K${row}`] })).get(`K${row}`);
  return { ledger, known, outcomes: async () => (await run()).outcomes };
}

test('rows of all kinds in one batch are each answered at their own place', async () => {
  const { ledger, known, outcomes } = await runningRun();
  const marks = [
    ...[1, 2, 3, 4, 11].map((row) => intent(row, 'i a.1 1')),
    intent(5, 'i b.1 1'),
    intent(6, 'i b.1 1'),
    intent(12, 'i a.2 1'),
  ];
  expect((await intendAll(ledger, marks)).map(({ kind }) => kind)).toEqual(marks.map(() => 'granted'));
  await ledger.settle(created(3, 'i a.1 1', 'first'));
  const unrecorded = await ledger.settleAll([
    settledRow(1, 'rejected', { mark: 'i a.1 1', source: '{}', body: 'no' }),
    created(3, 'i a.1 1', 'second'),
    created(12, 'i a.2 1', 'with a\nline'),
    // Another's intent stands on it: what the service accepted is recorded all the same.
    created(5, 'i a.1 1'),
    settledRow(6, 'rejected', { mark: 'i a.1 1' }),
    created(2, 'i a.1 1'),
    created(11, 'i a.1 1'),
    // An earlier attempt of the same take.
    created(4, 'i a.1 0'),
  ]);
  expect(unrecorded).toEqual(new Set([3, 6]));
  expect(await known(3)).toMatchObject({ kind: 'known', id: 'first' });
  expect(await known(12)).toMatchObject({ kind: 'known', id: 'with a\nline' });
  expect(await known(5)).toMatchObject({ kind: 'known', id: 'id-5' });
  expect(await outcomes()).toMatchObject({ created: 6, rejected: 1 });
});

test('half a surrogate pair in the id of a group’s first row keeps none of its rows from being recorded', async () => {
  const { ledger, outcomes } = await runningRun();
  await intendAll(ledger, [intent(1, 'i a.1 1')]);
  const of = { leader: 1, mark: 'i a.1 1', id: 'half \ud83d' };
  const members = [2, 3].map((row) => settledRow(row, 'created', of));
  expect(await ledger.settleAll([created(1, 'i a.1 1', 'half \ud83d'), ...members])).toEqual(new Set());
  expect(await outcomes()).toMatchObject({ created: 3 });
});

test('a batch that Redis can not read records nothing, so that each of its rows counts when it is tried alone', async () => {
  const { ledger, outcomes } = await runningRun();
  await intendAll(ledger, [intent(1, 'i a.1 1')]);
  const unreadable = settledRow(2, 'rejected', { source: 'half \ud83d' });
  await expect(ledger.settleAll([created(1, 'i a.1 1'), unreadable])).rejects.toThrow();
  expect(await ledger.settle(created(1, 'i a.1 1'))).toBe(true);
  expect(await outcomes()).toMatchObject({ created: 1, rejected: 0 });
});

test('rows with large bodies are recorded in several steps, each of about a megabyte, and a group in one', async () => {
  const journal = memoryJournal();
  const { keys, ledger, run } = await startRun(own().redis, { rows: 40, journal });
  const body = 'x'.repeat(64 * 1024);
  const rows = Array.from({ length: 40 }, (_, i) => i + 1);
  await intendAll(
    ledger,
    rows.map((row) => intentOn(row, `i a.1 ${row}.1`)),
  );
  const leaderOf = (row: number) => (row > 15 && row <= 20 ? 15 : null);
  const settled = rows.map((row) =>
    settledRow(row, 'rejected', { mark: `i a.1 ${leaderOf(row) ?? row}.1`, body, leader: leaderOf(row) }),
  );
  expect(await ledger.settleAll(settled)).toEqual(new Set());
  const batches = journal.records.flatMap((r) => (r.kind === 'settled' ? [entriesIn(r.ended)] : []));
  expect(batches.map((entries) => entries.length)).toEqual([20, 16, 4]);
  const kept = await createRunView(own().redis, keys, await run()).bodies(rows);
  expect([...kept.values()].every(({ text }) => text === body)).toBe(true);
  expect((await run()).outcomes.rejected).toBe(40);
});

test('what ended is recorded before what is next is granted, in one command and with one write of the journal', async () => {
  const journal = memoryJournal();
  const { ledger, run } = await startRun(own().redis, { rows: 40, journal });
  await intendAll(ledger, [intentOn(1, 'i a.1 1.1'), intentOn(2, 'i a.1 1.2')]);
  const { commands } = commandsOf(await own().redis.info('commandstats'));
  const { unrecorded, granted } = await ledger.exchange({
    ended: [created(1, 'i a.1 1.1'), created(2, 'i b.1 1.2'), created(3, 'i a.1 1.3')],
    next: [intentOn(2, 'i b.1 1.2'), intentOn(4, 'i a.1 1.4')],
  });
  expect(commandsOf(await own().redis.info('commandstats')).commands - commands).toBe(1);
  expect(unrecorded).toEqual(new Set());
  expect([...granted.values()].map(({ kind }) => kind)).toEqual(['taken', 'granted']);
  expect(journal.records.map(({ kind }) => kind)).toEqual(['intended', 'settled', 'intended', 'withdrawn']);
  expect((await run()).outcomes.created).toBe(3);
});

/** How many scripts were run. */
function commandsOf(stats: string) {
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count));
  return { commands: calls.reduce((sum, count) => sum + count, 0) };
}
