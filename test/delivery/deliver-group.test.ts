import { describe, expect, test } from 'vitest';
import { settledRow } from '../../src/delivery/row-task.ts';
import { createChunkLedger } from '../../src/ledger/chunk-ledger.ts';
import { fieldsPlace } from '../../src/ledger/keys.ts';
import { createRunView } from '../../src/ledger/run-view.ts';
import type { CellsRow } from '../../src/model/row.ts';
import { messageOf, withoutValues } from '../../src/model/sentence.ts';
import type { ChunkJob } from '../../src/queue/chunk-job.ts';
import { sampleMapping } from '../support/mapping.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { knownRun } from '../support/session.ts';
import {
  answer,
  type Bench,
  type BenchOptions,
  created,
  deliverOn,
  endsOf,
  settlementsOf,
  startBench,
} from './row-bench.ts';
import { CLAIMS, sampleTask } from './sample-task.ts';

const own = useOwnRedis();

/** Key, name, IBAN: a counterparty with an account. */
const MAPPING = sampleMapping({
  hasKey: true,
  keyOf: (row) => (row.kind === 'cells' && row.cells[0] !== '' ? (row.cells[0] ?? null) : null),
  map(row) {
    const [, name = '', iban = ''] = row.kind === 'cells' ? row.cells : [];
    const { row: number, line } = row;
    if (iban === '') {
      const issue = { row: number, line, column: 'IBAN', value: '', expected: 'a value' } as const;
      return { kind: 'issues', issues: [{ ...issue, code: 'missing_required' }] };
    }
    const body = { name, accounts: [{ iban }] };
    return { kind: 'mapped', body, pathId: null, warnings: [], references: [] };
  },
});

const start = (rows: number, options: BenchOptions = {}) =>
  startBench(own().redis, {
    operation: 'counterparty.draft',
    definition: { group: 'accounts' },
    rows,
    over: { mapping: MAPPING },
    ...options,
  });

type Cells = readonly [key: string, name: string, iban: string];

function rowOf(row: number, cells: Cells): CellsRow {
  return { kind: 'cells', row, line: row + 1, cells: [...cells] };
}

/** Chunk 1 of the bench; every row has its key. */
function jobOf(bench: Bench, rows: readonly Cells[]): ChunkJob {
  return {
    run: bench.context.run.id,
    chunk: 1,
    rows: rows.map((cells, i) => ({ row: rowOf(i + 1, cells), claim: CLAIMS.claimed })),
  };
}

const deliver = (bench: Bench, rows: readonly Cells[]) => deliverOn(bench, jobOf(bench, rows));

const outcomesOf = async (bench: Bench) =>
  (await settlementsOf(bench)).map(({ outcome }) => outcome).join(' ');

const taskOf = ({ context }: Bench, row: number) =>
  sampleTask('counterparty.draft', { run: context.run, row: rowOf(row, ['A', 'Acme', 'X']) });

const bodiesOf = (bench: Bench) => bench.attempts.map(({ request }) => JSON.parse(request.body ?? ''));

const ACME: readonly Cells[] = [
  ['A', 'Acme', 'GB1'],
  ['A', 'Acme', 'GB2'],
  ['A', '', 'GB3'],
];
const BETA: Cells = ['B', 'Beta', 'FR1'];

describe('rows of one key', () => {
  test('are one request with the accounts of all, and each has its outcome', async () => {
    const bench = await start(4, { attempt: (n) => created(`cp-${n}`) });
    const acme = ACME.map(([key, , iban]): Cells => [key, 'Acme', iban]);
    expect(await deliver(bench, [...acme, BETA])).toBe('closed');
    expect(bodiesOf(bench)).toEqual([
      { name: 'Acme', accounts: [{ iban: 'GB1' }, { iban: 'GB2' }, { iban: 'GB3' }] },
      { name: 'Beta', accounts: [{ iban: 'FR1' }] },
    ]);
    expect(await endsOf(bench)).toEqual([
      '1 drafted cp-1',
      '2 drafted cp-1',
      '3 drafted cp-1',
      '4 drafted cp-2',
    ]);
    expect((await bench.run()).outcomes.drafted).toBe(4);
  });

  const SAME = ['GB1', 'GB2', 'GB3'].map((iban): Cells => ['A', 'Acme', iban]);

  test('are all in doubt where a worker died with their request in flight', async () => {
    const bench = await start(3);
    await bench.setMark(1, 'i dead.1 1');
    await deliver(bench, SAME);
    expect(bench.attempts).toEqual([]);
    expect(await endsOf(bench)).toEqual([1, 2, 3].map((row) => `${row} in-doubt worker_lost`));
  });

  test('get what one of them has where a worker died while it recorded them', async () => {
    const bench = await start(3, { attempt: () => created('cp-1') });
    const task = sampleTask('counterparty.draft', {
      run: bench.context.run,
      row: rowOf(1, ['A', 'Acme', 'GB1']),
      key: 'A',
      identityKey: 'A',
    });
    await bench.context.ledger.settle(settledRow(task, { outcome: 'drafted', id: 'cp-9', status: 200 }, ''));
    await deliver(bench, SAME);
    expect(bench.attempts).toEqual([]);
    expect(await endsOf(bench)).toEqual(['1 drafted cp-9', '2 drafted cp-9', '3 drafted cp-9']);
  });

  test('have their definite outcome where the answer comes after they were in doubt', async () => {
    const bench = await start(3);
    await bench.setMark(1, 'i slow.1 1');
    await deliver(bench, SAME);
    const late = [1, 2, 3].map((row) =>
      settledRow(
        taskOf(bench, row),
        { outcome: 'drafted', id: 'cp-7', status: 200, attempts: 1 },
        'i slow.1 1',
      ),
    );
    await Promise.all(late.map(bench.context.ledger.settle));
    expect(await endsOf(bench)).toEqual([1, 2, 3].map((row) => `${row} drafted cp-7`));
    expect((await bench.run()).outcomes).toMatchObject({ drafted: 3, 'in-doubt': 0 });
  });

  test('that the service refuses are each refused, and their records are kept', async () => {
    const bench = await start(3, { attempt: () => answer(418, '{"message":"no"}') });
    await deliver(bench, SAME);
    const view = createRunView(own().redis, bench.keys, bench.context.run);
    expect(await outcomesOf(bench)).toBe('rejected rejected rejected');
    expect([...(await view.sources([1, 2, 3])).keys()]).toEqual([1, 2, 3]);
  });

  test('that are forbidden count as one answer, not as three in a row', async () => {
    const bench = await start(4, {
      attempt: (_, request) => (request.body?.includes('Acme') ? answer(403) : created('cp-2')),
      concurrency: 1,
    });
    expect(await deliver(bench, [...SAME, BETA])).toBe('closed');
    expect(await outcomesOf(bench)).toBe('denied denied denied drafted');
    expect(bench.pauses).toEqual([]);
  });

  test('of a cancelled run whose file is gone may have been in the request of the row before them', async () => {
    const bench = await start(4);
    await bench.setMark(2, 'i dead.1 1');
    await bench.turn('cancelled', 'requested');
    const rows = [1, 2, 3, 4].map((row) => ({
      row: { kind: 'unreadable' as const, row, line: 0, text: '', problem: 'its record was lost' },
      claim: CLAIMS.claimed,
    }));
    await deliverOn(bench, { run: bench.context.run.id, chunk: 1, rows });
    expect(await outcomesOf(bench)).toBe('cancelled in-doubt in-doubt in-doubt');
  });

  test('are not settled by a worker that gave them up while another one sends them', async () => {
    const bench = await start(3);
    const rows = [1, 2, 3].map((row) =>
      settledRow(taskOf(bench, row), { outcome: 'failed', code: 'connection_refused', attempts: 5 }, ''),
    );
    // The other worker's intent is on the first row, then its outcome.
    await bench.setMark(1, 'i other.1 1');
    const mates = rows.slice(1).map((row) => ({ ...row, lead: 1 }));
    expect(await Promise.all(mates.map(bench.context.ledger.settle))).toEqual([false, false]);
    const task = taskOf(bench, 1);
    const drafted = settledRow(task, { outcome: 'drafted', id: 'cp-1', status: 200 }, 'i other.1 1');
    expect(await bench.context.ledger.settle(drafted)).toBe(true);
    expect(await Promise.all(mates.map(bench.context.ledger.settle))).toEqual([false, false]);
    const outcome = 'drafted' as const;
    const same = mates.map((mate) => ({ ...mate, settlement: { ...mate.settlement, outcome } }));
    expect(await Promise.all(same.map(bench.context.ledger.settle))).toEqual([true, true]);
  });
});

describe('rows whose key is known', () => {
  const accountsOf = (...ibans: readonly string[]) => ibans.map((iban): Cells => ['A', 'Acme', iban]);

  /** What becomes of rows that come in a later run, after the record was created with two accounts. */
  async function later(rows: readonly Cells[], prepare?: (bench: Bench) => Promise<unknown>) {
    const bench = await start(2, { attempt: () => created('cp-1') });
    await deliver(bench, accountsOf('GB1', 'GB2'));
    await prepare?.(bench);
    const next = newRun({ rows: rows.length, definition: bench.context.definition });
    const { id } = await bench.store.register(next);
    await bench.store.transition(id, 'running', null);
    const run = await knownRun(bench.store, id);
    const { epoch, keys, journal } = bench;
    const ledger = createChunkLedger({ epoch, keys, journal, run, probeMs: 5000, now: () => new Date() });
    const context = { ...bench.context, run, ledger };
    const known = { kind: 'known', run: bench.context.run.id, id: 'cp-1' } as const;
    const job = { ...jobOf({ ...bench, context }, rows) };
    await deliverOn(bench, { ...job, rows: job.rows.map((one) => ({ ...one, claim: known })) }, { context });
    const settlements = await settlementsOf({ ...bench, context });
    expect(bench.attempts).toHaveLength(1);
    expect(new Set(settlements.map(({ outcome, code, id: made }) => `${outcome} ${code} ${made}`))).toEqual(
      new Set(['skipped key_known cp-1']),
    );
    return settlements.map(
      (row) => `${messageOf(withoutValues(row))} ${row.warnings.map(({ code }) => code).join(' ')}`,
    );
  }

  test('are skipped, and said to have the same accounts', async () => {
    expect(await later(accountsOf('GB1', 'GB2'))).toEqual(
      Array(2).fill('already created by run ‹…› with these accounts '),
    );
  });

  test.each([
    ['another account', ['GB1', 'GB3']],
    ['one account more', ['GB1', 'GB2', 'GB3']],
    ['one account less', ['GB1']],
  ])('are skipped with a warning where they have %s', async (_, ibans) => {
    const said =
      'already created by run ‹…› with other accounts than these, which were not sent group_differs';
    expect(await later(accountsOf(...ibans))).toEqual(ibans.map(() => said));
  });

  test('are not compared where it is not known what the service has, or where they do not map', async () => {
    const said = 'already created by run ‹…›; its accounts were not compared ';
    const forget = async ({ keys }: Bench) => {
      const place = fieldsPlace(keys, { space: 'counterparty', key: 'A' });
      await own().redis.hdel(place.bucket, place.digest);
    };
    expect(await later(accountsOf('GB3'), forget)).toEqual([said]);
    expect(await later(accountsOf(''))).toEqual([said]);
  });
});
