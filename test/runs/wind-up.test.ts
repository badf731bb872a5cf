import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import type { Row } from '../../src/model/row.ts';
import type { ChunkJob } from '../../src/queue/chunk-job.ts';
import { type WindUpEdges, windUpRun } from '../../src/runs/wind-up.ts';
import { sampleRun } from '../cli/sample-run.ts';
import { CLAIMS, sampleRow } from '../delivery/sample-task.ts';

/** Six rows in chunks of two. */
const RUN = sampleRun({ state: 'cancelled', rows: 6, chunkRows: 2 });
const ROWS = [1, 2, 3, 4, 5, 6].map(sampleRow);

async function* chunksOf(rows: readonly Row[], failure?: Error) {
  for (let i = 0; i < rows.length; i += 2) yield { n: i / 2 + 1, rows: rows.slice(i, i + 2) };
  if (failure !== undefined) throw failure;
}

/** Winds a run up in a queue that is empty unless told otherwise; keeps what was delivered. */
async function windUp(over: Partial<WindUpEdges> = {}) {
  const delivered: ChunkJob[] = [];
  const troubles: unknown[] = [];
  let waits = 0;
  const end = await windUpRun({
    run: RUN,
    chunks: chunksOf(ROWS),
    numbers: async () => null,
    closed: new Set(),
    takeOut: async () => ({ rows: null }),
    async deliver(job) {
      delivered.push(job);
      return 'closed';
    },
    async wait() {
      waits += 1;
    },
    onUnreadable: (error) => void troubles.push(error),
    signal: new AbortController().signal,
    ...over,
  });
  const lines = delivered.map((job) => [job.chunk, ...job.rows.map(({ row }) => row.line)]);
  return { end, delivered, lines, troubles, waits };
}

describe('a cancelled run', () => {
  test('has its open chunks carried out in order, those that are closed passed over', async () => {
    const { end, lines } = await windUp({ closed: new Set([2]) });
    expect([end, lines]).toEqual([
      'complete',
      [
        [1, 2, 3],
        [3, 6, 7],
      ],
    ]);
  });

  test('leaves a chunk to the worker that has it in hand, until it has it no longer', async () => {
    const looks: number[] = [];
    const { end, lines, waits } = await windUp({
      takeOut: async (n) => {
        looks.push(n);
        return looks.length < 3 ? null : { rows: null };
      },
    });
    expect([end, lines.map(([n]) => n), looks, waits]).toEqual(['complete', [1, 2, 3], [1, 1, 1, 2, 3], 2]);
  });

  test('looks again at a chunk in which a row could not be settled', async () => {
    let deliveries = 0;
    const { waits } = await windUp({
      deliver: async () => {
        deliveries += 1;
        return deliveries === 2 ? 'put-back' : 'closed';
      },
    });
    expect([deliveries, waits]).toEqual([4, 1]);
  });

  test('goes by what the queue had of a chunk, claims included', async () => {
    const rows = [3, 4].map((n) => ({ row: sampleRow(n), claim: CLAIMS.duplicate }));
    const { delivered } = await windUp({ takeOut: async (n) => ({ rows: n === 2 ? rows : null }) });
    expect(delivered[1]).toEqual({ run: RUN.id, chunk: 2, rows });
  });

  test('that is told to stop stops between two chunks', async () => {
    const stop = new AbortController();
    const { end } = await windUp({
      signal: stop.signal,
      deliver: async () => {
        stop.abort();
        return 'closed';
      },
    });
    expect(end).toBe('stopped');
  });
});

describe('rows that can’t be read any more', () => {
  test.each([
    ['at all', null, []],
    ['from some chunk on', chunksOf(ROWS.slice(0, 2), new Error('gone')), ['gone']],
    ['since the file is shorter now', chunksOf(ROWS.slice(0, 2)), []],
  ])('%s: each is there by its number, without a line', async (what, chunks, problems) => {
    const { end, delivered, lines, troubles } = await windUp({ chunks });
    expect(end).toBe('complete');
    const first = what === 'at all' ? [1, 0, 0] : [1, 2, 3];
    expect(lines).toEqual([first, [2, 0, 0], [3, 0, 0]]);
    expect(delivered.flatMap((job) => job.rows.map(({ row }) => row.row))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(troubles.map((trouble) => (trouble instanceof Error ? trouble.message : ''))).toEqual(problems);
  });

  test('are none where a chunk is not whole: the queue’s word counts before a short reading', async () => {
    const rows = [5, 6].map((n) => ({ row: sampleRow(n), claim: CLAIMS.claimed }));
    const { lines } = await windUp({
      chunks: chunksOf(ROWS.slice(0, 5)),
      takeOut: async (n) => ({ rows: n === 3 ? rows : null }),
    });
    expect(lines).toEqual([
      [1, 2, 3],
      [2, 4, 5],
      [3, 6, 7],
    ]);
  });

  test('of a rerun are not made up: their numbers are those of another run’s file', async () => {
    const run = { ...RUN, parent: 'run-0' };
    await expect(windUp({ run, chunks: null })).rejects.toThrow(UsageError);
    const numbers = async () => [1, 2];
    await expect(windUp({ run, chunks: null, numbers })).rejects.toThrow(UsageError);
  });

  test('of a rerun whose numbers are known have those, without a line', async () => {
    const run = { ...RUN, parent: 'run-0', rows: 5 };
    const { end, delivered } = await windUp({
      run,
      chunks: null,
      numbers: async () => [2, 7, 301, 302, 900],
    });
    expect(end).toBe('complete');
    const rows = delivered.map((job) => job.rows.map(({ row }) => [row.row, row.line]));
    expect(rows).toEqual([
      [
        [2, 0],
        [7, 0],
      ],
      [
        [301, 0],
        [302, 0],
      ],
      [[900, 0]],
    ]);
  });
});
