import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { LedgerView, Settlement } from '../../../src/model/settlement.ts';
import { asChunk, cells, makeRun, reportOf, settled, temporaryDirectory } from './make-report.ts';

const ROWS = 20_000;
const CHUNK = 100;
/** 20,000 sources and bodies of 1 KB each are 40 MB: kept rows or unbounded buffers show at once. */
const TEXT = 'x'.repeat(1000);
const MAX_GROWTH_BYTES = 8_000_000;

it('given 20,000 rows that all failed, takes no more memory at the end than at the start and writes each', async () => {
  const heap: number[] = [];
  const directory = await temporaryDirectory();
  const run = { ...makeRun([]), rows: ROWS };
  run.outcomes.rejected = ROWS;
  const summary = await reportOf({ run, view: largeView(heap), directory });
  expect(summary).toMatchObject({ controlTotal: { settled: ROWS, holds: true } });
  expect(Math.max(...heap.slice(1)) - (heap[1] ?? 0)).toBeLessThan(MAX_GROWTH_BYTES);
  expect(await rowsOf(join(directory, 'rejected.csv'))).toBe(ROWS + 1);
  expect(await rowsOf(join(directory, 'results.csv'))).toBe(ROWS + 1);
});

function largeView(heap: number[]): LedgerView {
  return {
    async *chunks() {
      for (let first = 1; first <= ROWS; first += CHUNK) {
        if ((first - 1) % (ROWS / 10) === 0) heap.push(heapInUse());
        yield asChunk(chunk(first), { chunk: (first - 1) / CHUNK + 1 });
      }
      heap.push(heapInUse());
    },
    sources: async (rows) => new Map(rows.map((row) => [row, cells(row, `k${row}`, `${row}${TEXT}`)])),
    bodies: async (rows) =>
      new Map(rows.map((row) => [row, { text: `{"row":${row},"text":"${TEXT}"}`, restBytes: 0 }])),
    documents: async () => new Map(),
  };
}

function chunk(first: number): readonly Settlement[] {
  return Array.from({ length: CHUNK }, (_, i) =>
    settled(first + i, 'rejected', { status: 418, code: 'http_418' }),
  );
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  z.function().parse(runInNewContext('gc'))();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** No cell of these files has a line break. */
async function rowsOf(path: string): Promise<number> {
  let rows = 0;
  for await (const _ of createInterface({ input: createReadStream(path) })) rows += 1;
  return rows;
}
