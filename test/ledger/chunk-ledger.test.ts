import { describe, expect, test } from 'vitest';
import { type ChunkLedger, createChunkLedger, type SettledRow } from '../../src/ledger/chunk-ledger.ts';
import { claimKeys } from '../../src/ledger/key-claims.ts';
import type { LedgerKeys } from '../../src/ledger/keys.ts';
import { createRunStore, type RunStore } from '../../src/ledger/run-store.ts';
import { createRunView } from '../../src/ledger/run-view.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { exitCodeOf, type Run } from '../../src/model/run.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');

type Bench = { keys: LedgerKeys; store: RunStore; id: string; ledger: ChunkLedger; run: () => Promise<Run> };

async function runningRun(rows = 2, chunkRows = 100): Promise<Bench> {
  const keys = ownKeys();
  const store = createRunStore(own().redis, keys, () => NOW);
  const registered = newRun({ rows, chunkRows });
  await store.register(registered);
  await store.transition(registered.id, 'running', null);
  const run = async () => {
    const read = await store.get(registered.id);
    if (read === null) throw new Error('the run is gone');
    return read;
  };
  const ledger = createChunkLedger(own().redis, keys, await run(), () => NOW);
  return { keys, store, id: registered.id, ledger, run };
}

function row(number: number, outcome: Outcome, over: Partial<SettledRow> = {}, id = ''): SettledRow {
  const settlement = {
    row: number,
    line: number + 1,
    key: `K${number}`,
    outcome,
    status: 200,
    id,
    attempts: 1,
    ms: 5,
    code: '',
    message: '',
  };
  return { chunk: 1, settlement, identity: null, source: '', body: '', documents: '', mark: '', ...over };
}

async function settlements({ keys, run }: Bench) {
  const view = createRunView(own().redis, keys, await run());
  const all = [];
  for await (const batch of view.settlements()) all.push(...batch);
  return all;
}

describe('intents', () => {
  test('a row is granted to one taker only', async () => {
    const { ledger } = await runningRun();
    const ask = (mark: string) => ledger.intend({ chunk: 1, row: 1, mark, expected: '' });
    expect(await Promise.all([ask('i a 1'), ask('i b 1')])).toEqual(['granted', 'taken']);
  });

  test('the same intent sent twice, after a lost reply, is granted again', async () => {
    const { ledger } = await runningRun();
    const intent = { chunk: 1, row: 1, mark: 'i a 1', expected: '' };
    await ledger.intend(intent);
    expect(await ledger.intend(intent)).toBe('granted');
  });

  test('a dead worker’s intent is taken over by the one who names it', async () => {
    const { ledger } = await runningRun();
    await ledger.intend({ chunk: 1, row: 1, mark: 'i dead 1', expected: '' });
    expect(await ledger.intend({ chunk: 1, row: 1, mark: 'i b 1', expected: 'i dead 1' })).toBe('granted');
    expect(await ledger.intend({ chunk: 1, row: 1, mark: 'i c 1', expected: 'i dead 1' })).toBe('taken');
  });

  test.each(['paused', 'stopped', 'cancelled', 'finished'] as const)(
    'nothing is granted while the run is %s',
    async (state) => {
      const { ledger, store, id } = await runningRun();
      await store.transition(id, state, null);
      expect(await ledger.intend({ chunk: 1, row: 1, mark: 'i a 1', expected: '' })).toBe('halted');
    },
  );

  test('a settled row is granted to nobody, in an open chunk and in a closed one', async () => {
    const { ledger } = await runningRun(1);
    await ledger.settle(row(1, 'created'));
    expect(await ledger.intend({ chunk: 1, row: 1, mark: 'i a 1', expected: '' })).toBe('taken');
    await ledger.close(1, 1);
    expect(await ledger.intend({ chunk: 1, row: 1, mark: 'i a 1', expected: '' })).not.toBe('granted');
  });

  test('a withdrawn intent leaves the row free; another’s can’t be withdrawn', async () => {
    const { ledger } = await runningRun();
    await ledger.intend({ chunk: 1, row: 1, mark: 'i a 1', expected: '' });
    expect(await ledger.withdraw({ chunk: 1, row: 1, mark: 'i b 1' })).toBe(false);
    expect(await ledger.withdraw({ chunk: 1, row: 1, mark: 'i a 1' })).toBe(true);
    expect(await ledger.intend({ chunk: 1, row: 1, mark: 'i b 1', expected: '' })).toBe('granted');
  });

  test('what a taker finds: intents as they are, settled rows with their outcome', async () => {
    const { ledger } = await runningRun();
    await ledger.intend({ chunk: 1, row: 1, mark: 'i a 1', expected: '' });
    await ledger.settle(row(2, 'rejected'));
    const taken = await ledger.take(1);
    expect(taken).toMatchObject({ state: 'running', closed: false });
    expect(taken.marks.get(1)).toEqual({ kind: 'intent', text: 'i a 1' });
    expect(taken.marks.get(2)).toMatchObject({ kind: 'settled', settlement: { outcome: 'rejected' } });
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

  test('a settled row of a closed chunk keeps its outcome', async () => {
    const bench = await runningRun(1);
    await bench.ledger.settle(row(1, 'created', {}, 'id-1'));
    await bench.ledger.close(1, 1);
    expect(await bench.ledger.settle(row(1, 'failed'))).toBe(false);
    expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), created: 1 });
  });

  test.each([
    ['known', 'created', { kind: 'known', run: expect.any(String), id: 'id-9' }],
    ['in-doubt', 'in-doubt', { kind: 'held', run: expect.any(String), row: 1, inDoubt: true }],
    ['given-back', 'rejected', { kind: 'claimed' }],
  ] as const)('a key becomes %s when its row is %s', async (becomes, outcome, answer) => {
    const bench = await runningRun();
    const claim = (run: string) =>
      claimKeys(own().redis, bench.keys, {
        run,
        space: { name: 'subclient', ofRun: false },
        rows: [{ row: 1, key: 'A' }],
      });
    await claim(bench.id);
    await bench.ledger.settle(
      row(1, outcome, { identity: { space: 'subclient', key: 'A', becomes, id: 'id-9' } }, 'id-9'),
    );
    expect(await claim('other-run')).toEqual([answer]);
  });

  test('source, body and documents are kept byte for byte', async () => {
    const bench = await runningRun();
    const body = '{"a":"\u0000 ü \\u00e9 €"}';
    const source = JSON.stringify({ kind: 'cells', row: 1, line: 2, cells: ["it's", 'a\r\nb', '€'] });
    await bench.ledger.settle(row(1, 'rejected', { source, body, documents: '[{"id":"1"}]' }));
    const view = createRunView(own().redis, bench.keys, await bench.run());
    expect((await view.sources([1, 2])).get(1)).toEqual(JSON.parse(source));
    expect(await view.bodies([1])).toEqual(new Map([[1, body]]));
    expect(await view.documents([1])).toEqual(new Map([[1, '[{"id":"1"}]']]));
  });

  test('refusals that were not the rows’ fault become unsent again, with their keys', async () => {
    const bench = await runningRun();
    const claim = (run: string) =>
      claimKeys(own().redis, bench.keys, {
        run,
        space: { name: 'subclient', ofRun: false },
        rows: [{ row: 1, key: 'A' }],
      });
    await claim(bench.id);
    const denied = row(1, 'denied', {
      source: '{}',
      identity: { space: 'subclient', key: 'A', becomes: 'given-back', id: '' },
    });
    await bench.ledger.settle(denied);
    await bench.ledger.unsettle([denied]);
    expect((await bench.run()).outcomes).toEqual(noOutcomes());
    expect((await bench.ledger.take(1)).marks.size).toBe(0);
    expect(await claim('other-run')).toMatchObject([{ kind: 'held' }]);
  });
});

describe('two workers on one row', () => {
  const intend = (ledger: ChunkLedger, mark: string) =>
    ledger.intend({ chunk: 1, row: 1, mark, expected: '' });

  test('a refusal does not settle a row that another worker has taken meanwhile; what was created stays', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i a 1');
    await bench.ledger.withdraw({ chunk: 1, row: 1, mark: 'i a 1' });
    await intend(bench.ledger, 'i b 1');
    expect(await bench.ledger.settle(row(1, 'failed'))).toBe(false);
    expect(await bench.ledger.settle(row(1, 'created', { mark: 'i b 1' }, 'id-1'))).toBe(true);
    expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), created: 1 });
  });

  test('a row that was found in a dead worker’s hands is settled by the mark that was found', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i dead 1');
    expect(await bench.ledger.settle(row(1, 'in-doubt', { mark: 'i other 1' }))).toBe(false);
    expect(await bench.ledger.settle(row(1, 'in-doubt', { mark: 'i dead 1' }))).toBe(true);
  });

  test('an intent that is asked for again after the run was paused leaves nothing behind', async () => {
    const bench = await runningRun(1);
    await intend(bench.ledger, 'i a 1');
    await bench.store.transition(bench.id, 'paused', 'requested');
    expect(await intend(bench.ledger, 'i a 1')).toBe('halted');
    expect((await bench.ledger.take(1)).marks.size).toBe(0);
  });

  test('a denied row is not taken back where another run has claimed its key since', async () => {
    const bench = await runningRun();
    const claim = (run: string) =>
      claimKeys(own().redis, bench.keys, {
        run,
        space: { name: 'subclient', ofRun: false },
        rows: [{ row: 1, key: 'A' }],
      });
    await claim(bench.id);
    const denied = row(1, 'denied', {
      identity: { space: 'subclient', key: 'A', becomes: 'given-back', id: '' },
    });
    await bench.ledger.settle(denied);
    await claim('other-run');
    await bench.ledger.unsettle([denied]);
    expect((await bench.run()).outcomes).toEqual({ ...noOutcomes(), denied: 1 });
  });

  test('half a surrogate pair in an id does not keep other rows from being recorded', async () => {
    const bench = await runningRun(2);
    const identity = { space: 'subclient', key: 'A', becomes: 'known', id: '\ud800' } as const;
    expect(
      await Promise.all([
        bench.ledger.settle(row(1, 'created', { identity }, '\ud800')),
        bench.ledger.settle(row(2, 'created')),
      ]),
    ).toEqual([true, true]);
  });
});

describe('closing', () => {
  test('a chunk with an unsettled row stays open', async () => {
    const bench = await runningRun(2);
    await bench.ledger.settle(row(1, 'created'));
    expect(await bench.ledger.close(1, 2)).toBe(false);
    await bench.ledger.intend({ chunk: 1, row: 2, mark: 'i a 1', expected: '' });
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
    expect((await settlements(bench)).map((s) => [s.row, s.outcome])).toEqual([
      [1, 'created'],
      [2, 'created'],
      [3, 'failed'],
    ]);
  });
});

test('places on the time line are evenly spaced over all who ask', async () => {
  const bench = await runningRun();
  const other = createChunkLedger(own().redis, bench.keys, await bench.run(), () => NOW);
  const waits = (
    await Promise.all([1, 2, 3].flatMap(() => [bench.ledger.reserve(1_000_000), other.reserve(1_000_000)]))
  ).sort((a, b) => a - b);
  for (const [i, ms] of waits.entries()) expect(Math.abs(ms - i * 1000)).toBeLessThan(500);
});
