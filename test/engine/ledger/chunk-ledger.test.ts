import { describe, expect, test } from 'vitest';
import { openAccounts } from '../../../src/engine/ledger/account.ts';
import { type ChunkLedger, createChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import { type Intent, intentsText } from '../../../src/engine/ledger/intent.ts';
import { readKeys } from '../../../src/engine/ledger/key-claims.ts';
import { identityPlace } from '../../../src/engine/ledger/keys.ts';
import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import { createRunView } from '../../../src/engine/ledger/run-view.ts';
import { areFieldsKnown, type SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import { exitCodeOf } from '../../../src/model/exit.ts';
import { noOutcomes, type Outcome } from '../../../src/model/outcome.ts';
import { memoryJournal } from '../../support/epoch.ts';
import {
  claimOf,
  entriesIn,
  grantOf,
  intentOn,
  settlementsOf,
  runningRun as startRun,
} from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { doubtOf, settledRow } from '../../support/settled-row.ts';
import { getEntry, keepOpenRows, makePossiblySent, restart, setEntry } from '../../support/stored.ts';

const own = useOwnRedis();
const PROBE_MS = 5_000;

type Bench = Awaited<ReturnType<typeof runningRun>>;

const runningRun = (rows = 2, chunkRows = 100, journal = memoryJournal()) =>
  startRun(own().redis, { rows, chunkRows, journal, probeMs: PROBE_MS });

/** As another worker of the same run has it. */
const anotherLedger = async ({ parts, run }: Bench, verified = parts.verified) =>
  createChunkLedger({ ...parts, verified, run: await run() });

/** Of a worker that has read a chunk when that happens, and closes it then. */
const closingLate = (bench: Bench, meanwhile: () => Promise<unknown>) => {
  const { verified } = bench.parts;
  const call: typeof verified.call = async (...asked) => {
    await meanwhile();
    return verified.call(...asked);
  };
  return anotherLedger(bench, { ...verified, call });
};

const intent = (mark: string, over: Partial<Intent> = {}) => intentOn(1, mark, over);

/** What a run finds when it claims the key A for its row 1. */
const claimA = (bench: Bench, run: string) => claimOf(bench, run, [[1, 'A']]);

const GRANTED = { kind: 'granted' };
const TAKEN = { kind: 'taken' };
const HALTED = { kind: 'halted' };

const row = (number: number, outcome: Outcome, over: Partial<SettledRow> = {}, id = '') =>
  settledRow(number, outcome, { ...over, id });

const settlements = async ({ keys, run }: Bench) => settlementsOf(own().redis, keys, await run());

/** Number, outcome and, where there is one, identifier of each row. */
const endsOf = async (bench: Bench) =>
  (await settlements(bench)).map(({ row, outcome, id }) => `${row} ${outcome} ${id}`.trim());

const GIVEN_BACK = { space: 'subclient', key: 'A' };

describe('intents', () => {
  test('a row is granted to one take only', async () => {
    const { ledger } = await runningRun();
    const ask = (mark: string) => grantOf(ledger, intent(mark));
    expect(await Promise.all([ask('i a 1'), ask('i b 1')])).toEqual([GRANTED, TAKEN]);
  });

  test('a dead worker’s intent is taken over by the one who names it', async () => {
    const { ledger } = await runningRun();
    await grantOf(ledger, intent('i dead 1'));
    expect(await grantOf(ledger, intent('i b 1', { expected: 'i dead 1' }))).toEqual(GRANTED);
    expect(await grantOf(ledger, intent('i c 1', { expected: 'i dead 1' }))).toEqual(TAKEN);
  });

  test.each(['paused', 'stopped', 'cancelled', 'finished'] as const)(
    'nothing is granted while the run is %s',
    async (state) => {
      const { ledger, store, id } = await runningRun();
      await store.transition(id, state, null);
      expect(await grantOf(ledger, intent('i a 1'))).toEqual(HALTED);
    },
  );

  test('a settled row is granted to nobody, in an open chunk and in a closed one of a run that goes on', async () => {
    const { ledger, run } = await runningRun(2, 1);
    await ledger.settle(row(1, 'created'));
    expect(await grantOf(ledger, intent('i a 1'))).toEqual(TAKEN);
    expect(await ledger.close(1, 1)).toBe(true);
    expect((await run()).state).toBe('running');
    // The worker that wakes late knows nothing of the chunk's end, or names the intent that it left there.
    for (const expected of ['', 'i a 1'])
      expect(await grantOf(ledger, intent('i b 1', { expected }))).toEqual(TAKEN);
    expect((await ledger.take(1, [])).marks.size).toBe(0);
  });

  test('a row whose key has become another’s since it was claimed is not granted; a key that was given back is claimed again', async () => {
    const { ledger, keys, id } = await runningRun(3);
    const identity = { space: 'subclient', key: 'A' };
    await setEntry(own().redis, keys, 'A', 'c run-other 7 ');
    const held = { kind: 'held', by: { run: 'run-other', row: 7 } };
    expect(await grantOf(ledger, intent('i a 1', { identity }))).toEqual(held);
    expect((await ledger.take(1, [])).marks.size).toBe(0);
    await setEntry(own().redis, keys, 'A', 'x run-other 7 ');
    expect(await grantOf(ledger, intent('i a 1', { identity }))).toEqual(GRANTED);
    expect(await getEntry(own().redis, keys, 'A')).toBe(`c ${id} 1 `);
  });

  test('a withdrawn intent leaves the row free; another’s can’t be withdrawn', async () => {
    const { ledger } = await runningRun();
    await grantOf(ledger, intent('i a 1'));
    expect(await ledger.withdraw({ chunk: 1, row: 1, mark: 'i b 1' })).toBe(false);
    expect(await ledger.withdraw({ chunk: 1, row: 1, mark: 'i a 1' })).toBe(true);
    expect(await grantOf(ledger, intent('i b 1'))).toEqual(GRANTED);
  });
});

describe('the journal', () => {
  const identity = { space: 'subclient', key: 'A' };

  test('has what was granted, and where the key’s identity lives', async () => {
    const { ledger, journal, id, keys } = await runningRun();
    await grantOf(ledger, intent('i a 1', { identity }));
    const next = intentsText([], [intent('i a 1', { identity })], keys);
    expect(JSON.parse(next)).toMatchObject({ rows: [{ mark: 'i a 1', key: identityPlace(keys, identity) }] });
    expect(journal.records).toEqual([{ kind: 'intended', run: id, next }]);
  });

  test('has what was refused taken back again: a replay must not think that it went', async () => {
    const { ledger, journal, id, keys } = await runningRun();
    await grantOf(ledger, intent('i a 1'));
    await grantOf(ledger, intent('i b 1'));
    expect(journal.records.slice(1)).toEqual([
      { kind: 'intended', run: id, next: intentsText([], [intent('i b 1')], keys) },
      { kind: 'withdrawn', run: id, rows: [[1, 1, 'i b 1']] },
    ]);
  });

  test('has the end of a row that was never sent once Redis has recorded it, and not where another worker sends the row', async () => {
    const { ledger, journal } = await runningRun(4);
    await grantOf(ledger, intent('i other.1 1', { row: 2 }));
    const at = journal.records.length;
    await ledger.settleAll([
      row(1, 'failed'),
      row(2, 'failed'),
      row(3, 'in-doubt'),
      row(4, 'rejected', { mark: 'i a 1' }),
    ]);
    const written = journal.records.slice(at);
    const ends = written.map((record) => (record.kind === 'settled' ? entriesIn(record.ended) : []));
    expect(ends.map((rows) => rows.map(({ row, outcome }) => `${row} ${outcome}`))).toEqual([
      ['3 in-doubt', '4 rejected'],
      ['1 failed'],
    ]);
  });
});

const possiblySentTo = (bench: Bench, upTo: number) =>
  makePossiblySent(own().redis, bench.keys.run(bench.id), upTo);

describe('rows that a lost worker may have sent', () => {
  test('are shown to their take, up to the chunk that may have been handed out', async () => {
    const bench = await runningRun(6, 2);
    await possiblySentTo(bench, 2);
    const taken = await Promise.all([1, 2, 3].map((chunk) => bench.ledger.take(chunk, [])));
    expect(taken.map(({ possiblySent }) => possiblySent)).toEqual([true, true, false]);
  });

  test('are granted only where the call may be repeated, or another worker’s intent is taken over', async () => {
    const bench = await runningRun(6, 2);
    await grantOf(bench.ledger, intent('i dead 1', { row: 2 }));
    await possiblySentTo(bench, 1);
    const next = [
      intent('i a 1'),
      intent('i a 1', { row: 2, expected: 'i dead 1' }),
      intent('i a 1', { row: 3, chunk: 2 }),
    ];
    const { granted } = await bench.ledger.exchange({ next });
    expect([...granted.values()]).toEqual([TAKEN, GRANTED, GRANTED]);
    expect(await grantOf(bench.ledger, intent('i b 1', { repeatable: true }))).toEqual(GRANTED);
  });

  test('are not granted to the one whose own journal has put the intent back that was never granted', async () => {
    const bench = await runningRun();
    await grantOf(bench.ledger, intent('i a 1'));
    await possiblySentTo(bench, 1);
    expect(await grantOf(bench.ledger, intent('i a 1'))).toEqual(TAKEN);
  });
});

describe('a take that gave up a row which a lost worker may have sent', () => {
  test.each([true, false])('is believed where its call may be repeated: %s', async (repeatable) => {
    const bench = await runningRun(6, 2);
    await possiblySentTo(bench, 1);
    const gaveUp = { identity: null, mark: '', repeatable };
    expect(await bench.ledger.settle(row(1, 'failed', gaveUp))).toBe(repeatable);
    expect((await bench.ledger.take(1, [])).marks.size).toBe(repeatable ? 1 : 0);
    // Behind the last chunk that had been handed out nobody else can have sent it.
    expect(await bench.ledger.settle(row(3, 'failed', { chunk: 2, identity: null, mark: '' }))).toBe(true);
  });
});

describe('settling', () => {
  test('the first definite outcome stays and is counted once', async () => {
    const bench = await runningRun();
    expect(await bench.ledger.settle(row(1, 'created'))).toBe(true);
    expect(await bench.ledger.settle(row(1, 'failed'))).toBe(false);
    expect(await bench.ledger.settle(row(1, 'created'))).toBe(false);
    expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), created: 1 });
  });

  test.each([false, true])(
    'a definite outcome replaces in-doubt, never the other way round (closed chunk: %s)',
    async (closed) => {
      const bench = await runningRun(1);
      await bench.ledger.settle(row(1, 'in-doubt', { source: '{"kind":"cells"}' }));
      if (closed) await bench.ledger.close(1, 1);
      expect(await bench.ledger.settle(row(1, 'created', {}, 'id-1'))).toBe(true);
      expect(await bench.ledger.settle(row(1, 'in-doubt'))).toBe(false);
      expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), created: 1 });
      expect(await settlements(bench)).toMatchObject([{ row: 1, outcome: 'created', id: 'id-1' }]);
      if (!closed) expect(await bench.ledger.close(1, 1)).toBe(true);
      expect(await settlements(bench)).toMatchObject([{ row: 1, outcome: 'created', id: 'id-1' }]);
    },
  );

  test.each([false, true])(
    'a row that leaves doubt without success keeps its record (closed chunk: %s)',
    async (closed) => {
      const bench = await runningRun(1);
      const source = '{"kind":"cells"}';
      await bench.ledger.settle(row(1, 'in-doubt', { source }));
      if (closed) await bench.ledger.close(1, 1);
      expect(await bench.ledger.settle(row(1, 'rejected', { source, mark: 'i a.1 1.1' }))).toBe(true);
      const { sources, doubts } = bench.keys.run(bench.id);
      const kept = await Promise.all([sources, doubts].map((key) => own().redis.hgetall(key)));
      expect(kept).toEqual([{ 1: source }, {}]);
    },
  );

  test.each(
    (['failed', 'skipped', 'invalid', 'cancelled'] as const).flatMap((outcome) =>
      [false, true].map((closed) => [outcome, closed] as const),
    ),
  )('whoever sent nothing ends no doubt: %s (closed chunk: %s)', async (outcome, closed) => {
    const bench = await runningRun(1);
    await bench.ledger.settle(row(1, 'in-doubt', { mark: 'i a.1 1.1' }));
    if (closed) await bench.ledger.close(1, 1);
    expect(await bench.ledger.settle(row(1, outcome))).toBe(false);
    expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), 'in-doubt': 1 });
  });

  const FIELDS = { space: 'subclient', key: 'A' };

  test.each([
    ['as they were read', '', 'two', 'two'],
    ['changed by another run since', 'other', 'two', '~'],
    ['not known any more', '', '', ''],
  ])('what the service has of a record’s fields: %s', async (_, before, after, kept) => {
    const bench = await runningRun(2);
    await bench.ledger.settle(
      row(1, 'updated', { fields: { ...FIELDS, before: '', after: 'one', content: '' } }),
    );
    expect(await bench.ledger.readFields(FIELDS)).toBe('one');
    const change = { ...FIELDS, before: before === '' ? 'one' : before, after, content: '' };
    await bench.ledger.settle(row(2, 'updated', { fields: change }));
    expect(await bench.ledger.readFields(FIELDS)).toBe(kept);
  });

  test('nobody knows what the service has of a record’s fields from an update’s intent to its answer', async () => {
    const bench = await runningRun(3);
    const update = (number: number, own: string) =>
      grantOf(bench.ledger, intent('i a 1', { row: number, fields: { ...FIELDS, before: 'one', own } }));
    const answered = (number: number, change: { readonly before: string; readonly after: string }) =>
      bench.ledger.settle(
        row(number, 'updated', { mark: 'i a 1', fields: { ...FIELDS, content: '', ...change } }),
      );
    await answered(1, { before: '', after: 'one' });
    await update(2, '~a');
    expect(await bench.ledger.readFields(FIELDS)).toBe('~a');
    await update(3, '~b');
    expect(await bench.ledger.readFields(FIELDS)).toBe('~');
    await answered(2, { before: '~a', after: 'two' });
    expect(areFieldsKnown(await bench.ledger.readFields(FIELDS))).toBe(false);
  });

  test('a key is read as it stands, and stays as it is', async () => {
    const bench = await runningRun();
    const place = { space: 'subclient', key: 'A' };
    expect(await bench.ledger.readKey(place)).toEqual({ kind: 'free' });
    await claimA(bench, bench.id);
    const held = { kind: 'held', run: bench.id, row: 1, inDoubt: false };
    expect(await bench.ledger.readKey(place)).toEqual(held);
    const states = await readKeys(own().redis, bench.keys, { space: 'subclient', names: ['A', 'B'] });
    expect(Object.fromEntries(states)).toEqual({ A: held, B: { kind: 'free' } });
    await bench.ledger.settle(row(1, 'created', { identity: place }, 'id-9'));
    expect(await bench.ledger.readKey(place)).toEqual({ kind: 'known', run: bench.id, row: 1, id: 'id-9' });
  });

  test('source, body and documents are kept byte for byte', async () => {
    const bench = await runningRun();
    const body = '{"a":"\u0000 ü \\u00e9 €"}';
    const source = JSON.stringify({ kind: 'cells', row: 1, line: 2, cells: ["it's", 'a\r\nb', '€'] });
    await bench.ledger.settle(row(1, 'rejected', { source, body, documents: '[{"id":"1"}]' }));
    const view = createRunView(own().redis, bench.keys, await bench.run());
    expect((await view.sources([1, 2])).get(1)).toEqual(JSON.parse(source));
    expect(await view.bodies([1])).toMatchObject(new Map([[1, { text: body, restBytes: 0 }]]));
    expect(await view.documents([1])).toEqual(new Map([[1, '[{"id":"1"}]']]));
  });
});

describe('two workers on one row', () => {
  const intend = (ledger: ChunkLedger, mark: string) => grantOf(ledger, intent(mark));

  test('a refusal does not settle a row that another worker has taken meanwhile; what was created stays', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i a 1');
    await bench.ledger.withdraw({ chunk: 1, row: 1, mark: 'i a 1' });
    await intend(bench.ledger, 'i b 1');
    expect(await bench.ledger.settle(row(1, 'failed'))).toBe(false);
    expect(await bench.ledger.settle(row(1, 'created', { mark: 'i b 1' }, 'id-1'))).toBe(true);
    expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), created: 1 });
  });

  test('a refusal does not settle a row that a later take of the same process sends', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i process.2 1');
    expect(await bench.ledger.settle(row(1, 'rejected', { mark: 'i process.1 1' }))).toBe(false);
    expect(await bench.ledger.settle(row(1, 'created', { mark: 'i process.2 1' }, 'id-1'))).toBe(true);
  });

  test('an intent that is asked for again after the run was paused leaves nothing behind', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i a 1');
    await bench.store.transition(bench.id, 'paused', 'requested');
    expect(await intend(bench.ledger, 'i a 1')).toEqual(HALTED);
    expect((await bench.ledger.take(1, [])).marks.size).toBe(0);
  });

  test('an intent over a dead worker’s that is asked for again after the run was paused leaves the dead one’s', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i dead 1');
    const mine = intent('i a 1', { expected: 'i dead 1' });
    expect(await grantOf(bench.ledger, mine)).toEqual(GRANTED);
    await bench.store.transition(bench.id, 'paused', 'requested');
    expect(await grantOf(bench.ledger, mine)).toEqual(HALTED);
    expect((await bench.ledger.take(1, [])).marks.get(1)).toEqual({ kind: 'intent', text: 'i dead 1' });
  });

  test('a row that was refused leaves its key to another run that has created it since', async () => {
    const bench = await runningRun();
    await setEntry(own().redis, bench.keys, 'A', 'k run-other 7 id-7');
    expect(await bench.ledger.settle(row(1, 'rejected', { identity: GIVEN_BACK }))).toBe(true);
    expect(await getEntry(own().redis, bench.keys, 'A')).toBe('k run-other 7 id-7');
  });
});

describe('closing', () => {
  test('a chunk with a row without an outcome stays open', async () => {
    const bench = await runningRun(2);
    await bench.ledger.settle(row(1, 'created'));
    expect(await bench.ledger.close(1, 2)).toBe(false);
    await grantOf(bench.ledger, intent('i a 1', { row: 2 }));
    expect(await bench.ledger.close(1, 2)).toBe(false);
  });

  test('the last chunk finishes the run, once, and the control total holds', async () => {
    const bench = await runningRun(3, 2);
    for (const n of [1, 2]) await bench.ledger.settle(row(n, 'created'));
    await bench.ledger.settle(row(3, 'failed', { chunk: 2 }));
    expect(await bench.ledger.close(2, 1)).toBe(true);
    expect((await bench.run()).state).toBe('running');
    expect(await bench.ledger.close(1, 2)).toBe(true);
    expect(await bench.ledger.close(1, 2)).toBe(true);
    const run = await bench.run();
    expect(run).toMatchObject({ state: 'finished', closedChunks: 2 });
    expect(exitCodeOf(run)).toBe(1);
    expect(await endsOf(bench)).toEqual(['1 created', '2 created', '3 failed']);
  });

  test('the last chunk of a run that was cancelled leaves it cancelled', async () => {
    const bench = await runningRun(1);
    await bench.ledger.settle(row(1, 'created'));
    await bench.store.transition(bench.id, 'cancelled', 'requested');
    expect(await bench.ledger.close(1, 1)).toBe(true);
    expect(await bench.run()).toMatchObject({ state: 'cancelled', closedChunks: 1 });
  });

  test('open rows of half a close count for nothing, and go with the next one', async () => {
    const bench = await runningRun(2);
    const k = bench.keys.run(bench.id);
    await bench.ledger.settle(row(1, 'created', {}, 'a'));
    await bench.ledger.settle(row(2, 'in-doubt', {}, ''));
    await keepOpenRows(own().redis, k, 1, [doubtOf(2)]);
    await bench.ledger.settle(row(2, 'created', {}, 'b'));
    expect(await endsOf(bench)).toEqual(['1 created a', '2 created b']);
    const { open } = await openAccounts(own().redis, bench.keys).standOf(bench.id);
    expect([...open]).toEqual([]);
    expect(await bench.ledger.close(1, 2)).toBe(true);
    expect(await own().redis.exists(k.openRows)).toBe(0);
    expect(await endsOf(bench)).toEqual(['1 created a', '2 created b']);
  });

  test('what was read of a chunk counts for nothing where Redis was put back since', async () => {
    const bench = await runningRun(1);
    await bench.ledger.settle(row(1, 'created', {}, 'a'));
    const other = await closingLate(bench, () => restart(own().redis, bench.keys));
    expect(await other.close(1, 1)).toBe(false);
    expect(bench.epoch.recoveries()).toBe(1);
    expect(await bench.ledger.close(1, 1)).toBe(true);
    expect(await endsOf(bench)).toEqual(['1 created a']);
  });

  test.each<[string, (bench: Bench) => Promise<unknown>]>([
    ['the answer came late', ({ ledger }) => ledger.settle(row(1, 'created', {}, 'a'))],
    [
      'somebody has decided on it',
      async ({ keys, run }) => {
        const decisions = [{ row: 1, decision: { kind: 'created', id: 'a' } }] as const;
        const at = new Date();
        await resolveRows(own().redis, keys, { run: await run(), by: 'ann', at, decisions });
      },
    ],
  ])(
    'a chunk that was read before the outcome of a row in doubt was known is taken again: %s',
    async (_, end) => {
      const bench = await runningRun(1);
      await bench.ledger.settle(row(1, 'in-doubt', {}, ''));
      const other = await closingLate(bench, () => end(bench));
      expect(await other.close(1, 1)).toBe(false);
      expect(await bench.ledger.close(1, 1)).toBe(true);
      expect(await endsOf(bench)).toEqual(['1 created a']);
    },
  );
});
