import { describe, expect, test } from 'vitest';
import { settledRow } from '../../src/delivery/row-task.ts';
import type { ChunkJob } from '../../src/engine/queue/chunk-job.ts';
import type { CellsRow } from '../../src/model/row.ts';
import { sampleMapping } from '../support/mapping.ts';
import { useOwnRedis } from '../support/redis.ts';
import {
  answer,
  type Bench,
  type BenchOptions,
  created,
  deliverOn,
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

const BETA: Cells = ['B', 'Beta', 'FR1'];

describe('rows of one key', () => {
  const SAME = ['GB1', 'GB2', 'GB3'].map((iban): Cells => ['A', 'Acme', iban]);

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
      settledRow(
        taskOf(bench, row),
        { outcome: 'failed', code: 'connection_refused', attempts: 5 },
        { mark: '' },
      ),
    );
    // The other worker's intent is on the first row, then its outcome.
    await bench.setMark(1, 'i other.1 1');
    const members = rows.slice(1).map((row) => ({ ...row, leader: 1 }));
    expect(await Promise.all(members.map(bench.context.ledger.settle))).toEqual([false, false]);
    const task = taskOf(bench, 1);
    const drafted = settledRow(
      task,
      { outcome: 'drafted', id: 'cp-1', status: 200 },
      { mark: 'i other.1 1' },
    );
    expect(await bench.context.ledger.settle(drafted)).toBe(true);
    expect(await Promise.all(members.map(bench.context.ledger.settle))).toEqual([false, false]);
    const same = members.map((member) => ({ ...member, outcome: 'drafted' as const }));
    expect(await Promise.all(same.map(bench.context.ledger.settle))).toEqual([true, true]);
  });
});
