import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeyClaim } from '../../src/model/identity.ts';
import type { Mapping } from '../../src/model/mapping.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import type { Row } from '../../src/model/row.ts';
import type { Run } from '../../src/model/run.ts';
import type { ChunkJob } from '../../src/queue/chunk-job.ts';
import { type IngestEdges, ingestRun } from '../../src/runs/ingest-run.ts';
import { sampleRow } from '../delivery/sample-task.ts';

const OPEN_CHUNKS_MAX = 64;
const ROWS_PER_CHUNK = 2;

function runOf(rows: number): Run {
  return {
    id: 'run-1',
    job: 'subclients-create',
    operation: 'subclient.create',
    target: 'sandbox',
    file: '/in/a.csv',
    sha256: 'abc',
    parent: null,
    rows,
    chunkRows: ROWS_PER_CHUNK,
    chunkEnds: null,
    source: {
      type: 'csv',
      encoding: 'utf-8',
      bom: false,
      compression: 'none',
      headerLine: 1,
      sheet: null,
      notes: [],
      delimiter: ',',
      quote: '"',
      columns: ['externalId'],
    },
    state: 'running',
    reason: null,
    outcomes: noOutcomes(),
    closedChunks: 0,
    createdAt: '2026-11-21T10:00:00.000Z',
    startedAt: null,
    finishedAt: null,
  };
}

/** Keys are column 1; an empty one is none. */
const KEYED: Mapping = {
  hasKey: true,
  keyOf: (row) => (row.kind === 'cells' && row.cells[0] !== '' ? (row.cells[0] ?? null) : null),
  map: () => ({ kind: 'mapped', body: {}, pathId: null, warnings: [], references: [] }),
};

async function* chunksOf(rows: readonly Row[]) {
  for (let i = 0; i < rows.length; i += ROWS_PER_CHUNK) {
    yield { n: i / ROWS_PER_CHUNK + 1, rows: rows.slice(i, i + ROWS_PER_CHUNK) };
  }
}

const rowsTo = (n: number) => Array.from({ length: n }, (_, i) => sampleRow(i + 1));

type Setup = Partial<IngestEdges> & { readonly rows?: readonly Row[]; readonly surveyed?: number };

/** Reads a file of `rows` into a queue that closes a chunk each time there is no room. */
async function ingest({ rows = rowsTo(6), surveyed = rows.length, ...over }: Setup = {}) {
  const added: ChunkJob[][] = [];
  const claimed: Array<{ row: number; key: string }> = [];
  let closed = over.closed?.size ?? 0;
  let mostOpen = 0;
  const end = await ingestRun({
    run: runOf(surveyed),
    mapping: KEYED,
    weight: 4,
    isGrouped: false,
    chunks: chunksOf(rows),
    closed: new Set(),
    async claim(asked) {
      claimed.push(...asked);
      return asked.map((): KeyClaim => ({ kind: 'claimed' }));
    },
    async add(chunks, open) {
      expect(open).toBe(added.flat().length - (closed - (over.closed?.size ?? 0)));
      added.push([...chunks]);
      mostOpen = Math.max(mostOpen, added.flat().length - (closed - (over.closed?.size ?? 0)));
    },
    countClosed: async () => closed,
    countWaiting: async () => 0,
    async waitForRoom() {
      closed += 1;
      return true;
    },
    canaryFailed: null,
    pause: async () => true,
    onWaiting: () => undefined,
    ...over,
  });
  return { end, added, claimed, mostOpen, numbers: added.flat().map((job) => job.chunk) };
}

describe('a file', () => {
  test('becomes its chunks in order, each row with what its key’s claim said', async () => {
    const rows = [...rowsTo(2), { ...sampleRow(3), cells: ['', 'no key'] }, sampleRow(4), sampleRow(5)];
    const answers: Readonly<Record<string, KeyClaim>> = {
      K2: { kind: 'known', run: 'run-0', id: 'sub-2' },
      K4: { kind: 'duplicate', row: 1 },
    };
    const { end, added } = await ingest({
      rows,
      claim: async (asked) => asked.map(({ key }) => answers[key] ?? { kind: 'claimed' }),
    });
    expect(end).toBe('complete');
    expect(added).toEqual([
      [
        {
          run: 'run-1',
          chunk: 1,
          weight: 4,
          rows: [
            { row: rows[0], claim: { kind: 'claimed' } },
            { row: rows[1], claim: { kind: 'known', run: 'run-0', id: 'sub-2' } },
          ],
        },
        {
          run: 'run-1',
          chunk: 2,
          weight: 4,
          rows: [
            // A row without a key has nothing to claim.
            { row: rows[2], claim: { kind: 'claimed' } },
            { row: rows[3], claim: { kind: 'duplicate', row: 1 } },
          ],
        },
        { run: 'run-1', chunk: 3, weight: 4, rows: [{ row: rows[4], claim: { kind: 'claimed' } }] },
      ],
    ]);
  });

  test('of a job that groups has a key claimed by the first of the rows that follow each other with it', async () => {
    const keys = ['A', 'A', '', 'A', 'B', 'B'];
    const rows = keys.map((key, i) => ({ ...sampleRow(i + 1), cells: [key] }));
    const { claimed, added } = await ingest({ rows, isGrouped: true });
    expect(claimed).toEqual([
      { row: 1, key: 'A' },
      { row: 4, key: 'A' },
      { row: 5, key: 'B' },
    ]);
    expect(added.flat()[0]?.rows.map(({ claim }) => claim.kind)).toEqual(['claimed', 'claimed']);
  });

  test('has its keys claimed in file order, rows without one left out', async () => {
    const rows = [sampleRow(1), { ...sampleRow(2), cells: ['', ''] }, sampleRow(3), sampleRow(4)];
    expect((await ingest({ rows })).claimed).toEqual([
      { row: 1, key: 'K1' },
      { row: 3, key: 'K3' },
      { row: 4, key: 'K4' },
    ]);
  });

  test('without a key column has its rows claimed by their place', async () => {
    const mapping: Mapping = { ...KEYED, hasKey: false };
    expect((await ingest({ rows: rowsTo(2), mapping })).claimed).toEqual([
      { row: 1, key: 'abc:1' },
      { row: 2, key: 'abc:2' },
    ]);
  });

  test('has the keys of a chunk claimed before the chunk is in the queue', async () => {
    const steps: string[] = [];
    await ingest({
      rows: rowsTo(4),
      claim: async (asked) => {
        steps.push(`claim ${asked.map((a) => a.row).join()}`);
        return asked.map(() => ({ kind: 'claimed' }));
      },
      add: async (chunks) => void steps.push(`add ${chunks.map((c) => c.chunk).join()}`),
    });
    expect(steps).toEqual(['claim 1,2', 'claim 3,4', 'add 1,2']);
  });

  test('without a row is complete at once', async () => {
    expect(await ingest({ rows: [] })).toMatchObject({ end: 'complete', added: [] });
  });
});

describe('a file that is read again', () => {
  test('has its closed chunks passed over: nothing of them is claimed or added', async () => {
    const read = await ingest({ rows: rowsTo(8), closed: new Set([1, 3]) });
    expect([read.end, read.numbers]).toEqual(['complete', [2, 4]]);
    expect(read.claimed.map((c) => c.row)).toEqual([3, 4, 7, 8]);
  });

  test('with every chunk closed adds nothing', async () => {
    const read = await ingest({ rows: rowsTo(4), closed: new Set([1, 2]) });
    expect([read.end, read.added]).toEqual(['complete', []]);
  });

  test('counts only what is open now: chunks that were closed before make no room', async () => {
    const closed = new Set(Array.from({ length: 100 }, (_, i) => i + 1));
    const read = await ingest({ rows: rowsTo(600), closed, waitForRoom: async () => false });
    expect([read.end, read.mostOpen]).toEqual(['stopped', OPEN_CHUNKS_MAX]);
  });
});

describe('room', () => {
  test('is for 64 open chunks: the next waits until one is closed', async () => {
    const read = await ingest({ rows: rowsTo(1000) });
    expect([read.end, read.mostOpen]).toEqual(['complete', OPEN_CHUNKS_MAX]);
    expect(read.numbers).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
  });

  test('is for 16 open chunks while a thousand of other runs wait, which are enough to go on', async () => {
    const read = await ingest({ rows: rowsTo(1000), countWaiting: async () => 1_024 });
    expect([read.end, read.mostOpen]).toEqual(['complete', 16]);
    expect(read.numbers).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
  });

  test('that is not to be waited for any more ends the reading before the file’s end', async () => {
    const read = await ingest({ rows: rowsTo(1000), waitForRoom: async () => false });
    expect(read.end).toBe('stopped');
    expect(read.numbers).toHaveLength(OPEN_CHUNKS_MAX);
  });

  test('stays bounded for any number of rows and chunks closed before, and no open chunk is left out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.uniqueArray(fc.integer({ min: 1, max: 200 })), async (n, before) => {
        const total = Math.ceil(n / ROWS_PER_CHUNK);
        const closed = new Set(before.filter((chunk) => chunk <= total));
        const read = await ingest({ rows: rowsTo(n), closed });
        expect(read.mostOpen).toBeLessThanOrEqual(OPEN_CHUNKS_MAX);
        const open = Array.from({ length: total }, (_, i) => i + 1).filter((chunk) => !closed.has(chunk));
        expect([read.end, read.numbers]).toEqual(['complete', open]);
      }),
      { numRuns: 30 },
    );
  });
});

/** Fails a number of times, then does as told. */
function failing<A extends readonly unknown[], T>(error: Error, times: number, then: (...args: A) => T) {
  let left = times;
  return async (...args: A): Promise<T> => {
    left -= 1;
    if (left >= 0) throw error;
    return then(...args);
  };
}

const OOM = new Error("OOM command not allowed when used memory > 'maxmemory'.");

describe('a Redis that does not take a command', () => {
  test('because it is full is waited out in place, with growing pauses up to 2 s: the file is not read again', async () => {
    const pauses: number[] = [];
    const heard: Array<string | null> = [];
    const tried: number[][] = [];
    const add = failing(OOM, 8, () => undefined);
    const read = await ingest({
      rows: rowsTo(4),
      add: async (chunks) => {
        tried.push(chunks.map((c) => c.chunk));
        await add();
      },
      pause: async (ms) => pauses.push(ms) > 0,
      onWaiting: (reason) => void heard.push(reason),
    });
    expect(read.end).toBe('complete');
    expect(tried).toEqual(Array.from({ length: 9 }, () => [1, 2]));
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000]);
    expect(heard).toEqual([null, null, ...Array.from({ length: 8 }, () => 'full'), null]);
    expect(read.claimed.map((c) => c.row)).toEqual([1, 2, 3, 4]);
  });

  test('is waited out whatever the command was', async () => {
    const error = new Error('LOADING Redis is loading the dataset in memory');
    const read = await ingest({
      rows: rowsTo(20),
      claim: failing(error, 3, (asked: readonly unknown[]) =>
        asked.map((): KeyClaim => ({ kind: 'claimed' })),
      ),
      countClosed: failing(error, 3, () => 0),
    });
    expect([read.end, read.numbers.length]).toEqual(['complete', 10]);
  });

  test.each([
    ['adding', { add: failing(OOM, 1000, () => undefined) }],
    ['claiming', { claim: failing(OOM, 1000, (): KeyClaim[] => []) }],
    ['counting', { rows: rowsTo(100), countClosed: failing(OOM, 1000, () => 0) }],
  ])('ends the reading at once when stop is asked for while %s waits', async (_, over) => {
    let pauses = 0;
    const read = await ingest({
      ...over,
      pause: async () => {
        pauses += 1;
        return pauses < 3;
      },
    });
    expect([read.end, pauses]).toEqual(['stopped', 3]);
  });

  test('for a reason that waiting does not mend is not waited for', async () => {
    const add = async () => {
      throw new Error('WRONGTYPE Operation against a key');
    };
    await expect(ingest({ add, pause: async () => false })).rejects.toThrow('WRONGTYPE');
  });
});

describe('a file that has changed since it was surveyed', () => {
  test('and has more rows: what is beyond the survey is not added', async () => {
    const read = await ingest({ rows: rowsTo(40), surveyed: 20 });
    expect(read.end).toBe('file-changed');
    expect(Math.max(...read.added.flat().flatMap((c) => c.rows.map((r) => r.row.row)))).toBeLessThanOrEqual(
      20,
    );
  });

  test('and has fewer rows', async () => {
    expect((await ingest({ rows: rowsTo(4), surveyed: 5 })).end).toBe('file-changed');
    expect((await ingest({ rows: [], surveyed: 1 })).end).toBe('file-changed');
  });

  test('and has a short chunk in the middle: it is not added, nor what follows', async () => {
    async function* torn() {
      yield { n: 1, rows: rowsTo(2) };
      yield { n: 2, rows: [sampleRow(3)] };
      yield { n: 3, rows: [sampleRow(5), sampleRow(6)] };
    }
    const read = await ingest({ surveyed: 6, chunks: torn() });
    expect(read.end).toBe('file-changed');
    expect(read.numbers).not.toContain(2);
    expect(read.claimed.map((c) => c.row)).toEqual([1, 2]);
  });

  test('and can’t be read any more: the reader’s own error comes out', async () => {
    async function* broken() {
      yield { n: 1, rows: rowsTo(2) };
      throw new Error('the file is gone');
    }
    await expect(ingest({ surveyed: 4, chunks: broken() })).rejects.toThrow('the file is gone');
  });
});

describe('a canary', () => {
  /** Reads 10 rows in 5 chunks, with the steps in order. */
  async function ingestWithCanary(over: Setup & { readonly failed: boolean }) {
    const steps: string[] = [];
    let closed = over.closed?.size ?? 0;
    const { failed, ...rest } = over;
    const read = await ingest({
      rows: rowsTo(10),
      add: async (chunks) => void steps.push(`add ${chunks.map((c) => c.chunk).join()}`),
      countClosed: async () => closed,
      async waitForRoom() {
        steps.push('wait');
        closed += 1;
        return true;
      },
      async canaryFailed() {
        steps.push('ask');
        return failed;
      },
      ...rest,
    });
    return { end: read.end, steps };
  }

  test('goes alone: the rest is added when its chunk is closed and it did not fail', async () => {
    expect(await ingestWithCanary({ failed: false })).toEqual({
      end: 'complete',
      steps: ['add 1', 'wait', 'ask', 'add 2,3,4,5'],
    });
  });

  test('of which nothing succeeded keeps the rest from being added', async () => {
    expect(await ingestWithCanary({ failed: true })).toEqual({
      end: 'canary',
      steps: ['add 1', 'wait', 'ask'],
    });
  });

  test('that was closed before the process was killed is asked for again', async () => {
    expect(await ingestWithCanary({ failed: true, closed: new Set([1]) })).toEqual({
      end: 'canary',
      steps: ['ask'],
    });
  });

  test('that is the whole file has nothing to hold back', async () => {
    expect(await ingestWithCanary({ failed: true, rows: rowsTo(2) })).toEqual({
      end: 'complete',
      steps: ['add 1'],
    });
  });

  test('is not waited for any more when stop is asked for', async () => {
    expect(await ingestWithCanary({ failed: false, waitForRoom: async () => false })).toEqual({
      end: 'stopped',
      steps: ['add 1'],
    });
  });
});
