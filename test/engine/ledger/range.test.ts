import { describe, expect, test } from 'vitest';
import type { Exchanged } from '../../../src/engine/ledger/exchange.ts';
import type { Range } from '../../../src/engine/ledger/intent.ts';
import { claimKeys } from '../../../src/engine/ledger/key-claims.ts';
import { intentMark, type Mark } from '../../../src/engine/ledger/mark.ts';
import { decodeLine, encodeLine } from '../../../src/engine/recovery/journal/record.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import { memoryJournal } from '../../support/epoch.ts';
import { grantOf, intentOn, runningRun, settlementsOf } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';
import {
  chunkKey,
  entryOf,
  getEntry,
  lose,
  makePossiblySent,
  setBreaker,
  setEntry,
  setEpoch,
} from '../../support/stored.ts';

const own = useOwnRedis();
const ROWS = [1, 2, 3, 4, 5, 6];

/** The first of two chunks: six rows with the keys K1 to K6, claimed, in the hands of whoever asks. */
async function start() {
  const journal = memoryJournal();
  const run = await runningRun(own().redis, { rows: 2 * ROWS.length, chunkRows: ROWS.length, journal });
  const space = { name: 'subclient', ofRun: false };
  const rows = ROWS.map((row) => ({ row, key: `K${row}` }));
  const { verification } = await claimKeys(run.epoch, run.keys, { run: run.id, space, rows });
  const rangeOf = (fencingToken: string, numbers: readonly number[], over: Partial<Range> = {}): Range => ({
    chunk: 1,
    fencingToken,
    seen: '',
    from: 0,
    repeatable: false,
    claimed: verification,
    rows: numbers.map((row) => ({ row, identity: { space: 'subclient', key: `K${row}` } })),
    outOfOrder: [],
    ...over,
  });
  const ask = async (...of: Parameters<typeof rangeOf>) =>
    wordsOf(await run.ledger.exchange({ ranges: [rangeOf(...of)] }));
  const hash = () => own().redis.hgetall(`${run.keys.run(run.id).chunk}1`);
  const take = async () => {
    const { marks, watermark } = await run.ledger.take(1, ROWS);
    return { watermark, marks: ROWS.map((row) => told(marks.get(row))) };
  };
  const keyOf = (row: number) => getEntry(own().redis, run.keys, `K${row}`);
  return { ...run, rangeOf, ask, hash, take, keyOf };
}

type Bench = Awaited<ReturnType<typeof start>>;

const wordsOf = ({ granted: answers }: Exchanged) => [...answers.values()].map(({ kind }) => kind);
const told = (mark: Mark | undefined) =>
  mark === undefined ? '' : mark.kind === 'intent' ? mark.text : mark.settlement.outcome;
const granted = (count: number) => Array<string>(count).fill('granted');
const created = (row: number, fencingToken = 'a.1') =>
  settledRow(row, 'created', {
    mark: intentMark(fencingToken, row, 1),
    identity: { space: 'subclient', key: `K${row}` },
  });

test('the rows of a range stand in one field, each under an intent of its own', async () => {
  const bench = await start();
  expect(await bench.ask('a.1', [1, 2, 3])).toEqual(granted(3));
  expect(Object.keys(await bench.hash())).toEqual(['at']);
  expect((await bench.take()).marks).toEqual(['i a.1 1.1', 'i a.1 1.2', 'i a.1 1.3', '', '', '']);
  expect(bench.journal.records.map(({ kind }) => kind)).toEqual(['intended']);
});

test('what ends together is one field more, with the keys’ entries and the counts', async () => {
  const bench = await start();
  await bench.ask('a.1', [1, 2, 3, 4]);
  const exchanged = await bench.ledger.exchange({
    ended: [created(1), created(2)],
    ranges: [bench.rangeOf('a.1', [5, 6])],
  });
  expect([exchanged.unrecorded, wordsOf(exchanged)]).toEqual([new Set(), granted(2)]);
  expect(Object.keys(await bench.hash()).sort()).toEqual(['at', 'd1', 'n']);
  const marks = ['created', 'created', ...[3, 4, 5, 6].map((row) => `i a.1 1.${row}`)];
  expect((await bench.take()).marks).toEqual(marks);
  expect(await bench.keyOf(2)).toBe(`k ${bench.id} 2 id-2`);
  expect((await bench.run()).outcomes.created).toBe(2);
});

test('a chunk whose rows all ended in order closes, and its report has them all', async () => {
  const bench = await start();
  await bench.ask('a.1', ROWS);
  await bench.ledger.settleAll(ROWS.map((row) => created(row)));
  expect(await bench.ledger.close(1, ROWS.length)).toBe(true);
  const rows = await settlementsOf(own().redis, bench.keys, await bench.run());
  expect(rows.map(({ row, outcome, id }) => [row, outcome, id])).toEqual(
    ROWS.map((row) => [row, 'created', `id-${row}`]),
  );
});

test('the same ends recorded twice count once', async () => {
  const bench = await start();
  await bench.ask('a.1', [1, 2]);
  await bench.ledger.settleAll([created(1), created(2)]);
  expect(await bench.ledger.settleAll([created(1), created(2)])).toEqual(new Set([1, 2]));
  expect(await bench.ledger.settle(created(2))).toBe(false);
  expect((await bench.run()).outcomes.created).toBe(2);
});

test('rows whose intents Redis or the disk does not have are not granted', async () => {
  const bench = await start();
  expect(await bench.ask('a.1', [1], { claimed: 'another' })).toEqual(['unclaimed']);
  expect(await bench.hash()).toEqual({});
  await bench.store.transition(bench.id, 'paused', 'requested');
  expect(await bench.ask('a.1', [1, 2])).toEqual(['halted', 'halted']);
  expect((await bench.take()).marks).toEqual(['', '', '', '', '', '']);
});

describe('a chunk that another take has', () => {
  test('gives no range to the one that had it, nor to one that saw it otherwise', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 2]);
    expect(await bench.ask('b.1', [3])).toEqual(['taken']);
    const { watermark } = await bench.take();
    expect(await bench.ask('b.1', [3], { seen: watermark, outOfOrder: foundBy('a.1', [1, 2]) })).toEqual([
      'granted',
    ]);
    expect(await bench.ask('a.1', [4])).toEqual(['taken']);
  });

  test('has the intents of the one before on its rows until they end', async () => {
    const bench = await taken();
    expect((await bench.take()).marks).toEqual([
      'created',
      'i a.1 1.2',
      'i a.1 1.3',
      'i b.1 1.4',
      'i b.1 1.5',
      '',
    ]);
    const doubted = [2, 3].map((row) => settledRow(row, 'in-doubt', { mark: intentMark('a.1', row, 1) }));
    expect(await bench.ledger.settleAll(doubted)).toEqual(new Set());
    // The answer of the one before comes late: what the service accepted holds, and so does a refusal of its own request.
    expect(await bench.ledger.settle(created(2))).toBe(true);
    const refused = settledRow(3, 'rejected', { mark: intentMark('a.1', 3, 1) });
    expect(await bench.ledger.settle(refused)).toBe(true);
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['created', 'created', 'rejected']);
    expect((await bench.run()).outcomes).toMatchObject({ created: 2, rejected: 1, 'in-doubt': 0 });
  });

  test('keeps what was refused to the one before from ending rows of its own', async () => {
    const bench = await taken();
    expect(await bench.ledger.settle(settledRow(4, 'rejected', { mark: 'i a.1 1.4' }))).toBe(false);
    expect(await bench.ledger.settle(created(4))).toBe(true);
  });

  test('is not given to it where a row may have been sent that it does not name', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 2]);
    const { watermark } = await bench.take();
    expect(await bench.ask('b.1', [2, 3], { seen: watermark })).toEqual(['taken', 'granted']);
  });
});

const foundBy = (fencingToken: string, rows: readonly number[]) =>
  rows.map((row) => ({ row, mark: intentMark(fencingToken, row, 1) }));

/** a.1 has sent rows 1 to 3 and ended the first; b.1 has the chunk now, and has sent 4 and 5. */
async function taken(): Promise<Bench> {
  const bench = await start();
  await bench.ask('a.1', [1, 2, 3]);
  await bench.ledger.settle(created(1));
  const { watermark } = await bench.take();
  await bench.ask('b.1', [4, 5], { seen: watermark, outOfOrder: foundBy('a.1', [2, 3]) });
  return bench;
}

test('what another take recorded in its order is not recorded again for the one before', async () => {
  const bench = await start();
  await bench.ask('a.1', [1, 2, 3]);
  for (const row of [2, 3]) await bench.ledger.withdraw({ chunk: 1, row, mark: intentMark('a.1', row, 1) });
  const { watermark } = await bench.take();
  await bench.ask('b.1', [2, 3], { seen: watermark, outOfOrder: foundBy('a.1', [1]) });
  expect(await bench.ledger.settleAll([created(2, 'b.1'), created(3, 'b.1')])).toEqual(new Set());
  expect(await bench.ledger.settleAll([created(3)])).toEqual(new Set([3]));
  expect((await bench.run()).outcomes.created).toBe(2);
});

describe('rows that leave the order', () => {
  test('are unsent until they have an intent of their own', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 3], { outOfOrder: [{ row: 2, mark: '-' }] });
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['i a.1 1.1', '', 'i a.1 1.3']);
    expect(await grantOf(bench.ledger, intentOn(2, 'i a.1 1.2x'))).toEqual({ kind: 'granted' });
    expect((await bench.take()).marks[1]).toBe('i a.1 1.2x');
  });

  test('are taken back one by one, and can go again', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 2, 3]);
    expect(await bench.ledger.withdraw({ chunk: 1, row: 2, mark: 'i a.1 1.2' })).toBe(true);
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['i a.1 1.1', '', 'i a.1 1.3']);
    expect(await grantOf(bench.ledger, intentOn(2, 'i a.1 2.2'))).toEqual({ kind: 'granted' });
    expect(await bench.ledger.settleAll([created(1), created(3)])).toEqual(new Set());
    expect(await bench.ledger.settle(settledRow(2, 'created', { mark: 'i a.1 2.2' }))).toBe(true);
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['created', 'created', 'created']);
  });

  test('are granted in the order of the next take', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 2]);
    await bench.ledger.withdraw({ chunk: 1, row: 2, mark: 'i a.1 1.2' });
    const { watermark } = await bench.take();
    expect(await bench.ask('b.1', [2, 3], { seen: watermark, outOfOrder: foundBy('a.1', [1]) })).toEqual(
      granted(2),
    );
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['i a.1 1.1', 'i b.1 1.2', 'i b.1 1.3']);
  });
});

test('an order does not go back', async () => {
  const bench = await start();
  await bench.ask('a.1', [1, 3], { outOfOrder: [{ row: 2, mark: '-' }] });
  expect(await bench.ask('a.1', [2], { from: 3 })).toEqual(['taken']);
  expect(await bench.ask('a.1', [2])).toEqual(['taken']);
  expect(await bench.ask('a.1', [3], { from: 3 })).toEqual(['taken']);
  expect((await bench.take()).marks.slice(0, 3)).toEqual(['i a.1 1.1', '', 'i a.1 1.3']);
});

test('a range that is asked for again after a lost reply is granted once more, or taken back where nothing may go', async () => {
  const bench = await start();
  await bench.ask('a.1', [1, 2]);
  expect(await bench.ask('a.1', [1, 2])).toEqual(granted(2));
  await bench.store.transition(bench.id, 'paused', 'requested');
  expect(await bench.ask('a.1', [1, 2])).toEqual(['halted', 'halted']);
  expect((await bench.take()).marks.slice(0, 2)).toEqual(['', '']);
});

test('rows of which a lost worker may have sent some are not granted, unless the call may be repeated', async () => {
  const bench = await start();
  await makePossiblySent(own().redis, bench.keys.run(bench.id));
  expect(await bench.ask('a.1', [1])).toEqual(['taken']);
  expect(await bench.ask('a.1', [1], { repeatable: true })).toEqual(['granted']);
});

test('of a service that was away one row goes first, as the probe', async () => {
  const bench = await start();
  await setBreaker(own().redis, bench.keys, { since: 1, failures: 9, until: 1, at: 1 });
  expect(await bench.ask('a.1', [1, 2, 3])).toEqual(['granted', 'wait', 'wait']);
  expect(await own().redis.hget(bench.keys.breaker, 'probe')).toBe('i a.1 1.1');
  expect(await bench.ask('a.1', [2])).toEqual(['wait']);
  await bench.ledger.settle(created(1));
  expect(await bench.ask('a.1', [2, 3])).toEqual(granted(2));
});

test('a range that is asked for again after a lost reply keeps its intents where a lost worker may have sent rows', async () => {
  const bench = await start();
  await bench.ask('a.1', [1]);
  await makePossiblySent(own().redis, bench.keys.run(bench.id));
  expect(await bench.ask('a.1', [1])).toEqual(['taken']);
  expect((await bench.take()).marks[0]).toBe('i a.1 1.1');
});

test('a closed chunk grants no row', async () => {
  const bench = await start();
  await bench.ask('a.1', ROWS);
  await bench.ledger.settleAll(ROWS.map((row) => created(row)));
  await bench.ledger.close(1, ROWS.length);
  expect(await bench.ask('b.1', [1])).toEqual(['taken']);
});

describe('a Redis that goes back in time', () => {
  test('has the journal’s intents on rows of which it has lost the order: asked for again, they are granted', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 2]);
    const rows = bench.journal.records.flatMap((record) => {
      const stored = decodeLine(encodeLine(record).trimEnd());
      return stored?.kind === 'intended' ? stored.rows : [];
    });
    const { bucket } = entryOf(bench.keys, 'K1');
    await lose(own().redis, chunkKey(bench.keys.run(bench.id)), bucket);
    await createReplay(own().redis, bench.keys).intended(bench.id, rows);
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['i a.1 1.1', 'i a.1 1.2', '']);
    expect(await bench.keyOf(1)).toBe(`c ${bench.id} 1 `);
    expect(await bench.ask('a.1', [1, 2])).toEqual(granted(2));
    expect(await bench.ask('b.1', [1, 2, 3])).toEqual(['taken', 'taken', 'granted']);
    expect(await bench.ledger.settleAll([created(1), created(2)])).toEqual(new Set());
    expect((await bench.take()).marks.slice(0, 3)).toEqual(['created', 'created', 'i b.1 1.3']);
  });

  test('keeps what another run has claimed meanwhile', async () => {
    const bench = await start();
    await bench.ask('a.1', [1, 2]);
    await setEntry(own().redis, bench.keys, 'K1', 'c run-other 7 ');
    await setEpoch(own().redis, bench.keys, { opened: 'again' });
    await bench.ledger.settleAll([created(1), created(2)]);
    expect(await bench.keyOf(1)).toBe('c run-other 7 ');
    expect(await bench.keyOf(2)).toBe(`k ${bench.id} 2 id-2`);
  });
});

test('rows of which one has left the order end each for itself', async () => {
  const bench = await start();
  await bench.ask('a.1', [1, 2]);
  await bench.ledger.settle(settledRow(2, 'in-doubt', { mark: intentMark('a.1', 2, 1) }));
  expect(await bench.ledger.settleAll([created(1), created(2)])).toEqual(new Set());
  expect((await bench.take()).marks.slice(0, 2)).toEqual(['created', 'created']);
  expect((await bench.run()).outcomes).toMatchObject({ created: 2, 'in-doubt': 0 });
});
