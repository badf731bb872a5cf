import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../../src/model/outcome.ts';
import type { GrowingView, Settlement } from '../../src/model/settlement.ts';
import { growReport, writeReport } from '../../src/report/report.ts';
import { cells, filesOf, makeRun, makeView, NOW, settled, temporaryDirectory } from './make-report.ts';

const CHUNK_ROWS = 2;

/** A ledger whose chunks are closed one by one; of rows in doubt the outcome may change after that. */
function createLedger(settlements: readonly Settlement[]) {
  const now = [...settlements];
  const closed = new Set<number>();
  const chunk = (n: number) => now.slice((n - 1) * CHUNK_ROWS, n * CHUNK_ROWS);
  const chunks = Math.ceil(settlements.length / CHUNK_ROWS);
  const wasInDoubt = settlements.map(({ outcome }) => outcome === 'in-doubt');
  const isFinal = (n: number) => !wasInDoubt.slice((n - 1) * CHUNK_ROWS, n * CHUNK_ROWS).includes(true);
  const held = () => ({
    settlements: now,
    sources: now.map(({ row }) => cells(row, `k${row}`, `Company ${row}`)),
    bodies: new Map(now.map(({ row }) => [row, `{"row":${row}}`])),
  });
  const view: GrowingView = {
    async *settlements(first = 1) {
      for (let n = first; n <= chunks; n += 1) yield chunk(n);
    },
    closedChunks: async (numbers) =>
      numbers.map((n) => (closed.has(n) ? { settlements: chunk(n), isFinal: isFinal(n) } : null)),
    sources: (rows) => makeView(held()).sources(rows),
    bodies: (rows) => makeView(held()).bodies(rows),
    documents: (rows) => makeView(held()).documents(rows),
  };
  return {
    view,
    chunks,
    close: (n: number) => void closed.add(n),
    settle: (row: number, outcome: Outcome) => {
      now[row - 1] = settled(row, outcome, { code: 'late' });
    },
    run: () => makeRun(now),
    wasInDoubt,
  };
}

async function wholeReport(ledger: ReturnType<typeof createLedger>) {
  const directory = await temporaryDirectory();
  await writeReport({ run: ledger.run(), view: ledger.view, directory, now: NOW });
  return filesOf(directory);
}

const rowsWith = (...outcomes: readonly Outcome[]) => outcomes.map((outcome, i) => settled(i + 1, outcome));

it('given any order in which chunks are closed, publishes what a report written at once would be, and nothing before', async () => {
  const OUTCOMES = ['created', 'rejected', 'failed', 'in-doubt', 'invalid', 'skipped'] as const;
  const outcomes = fc.array(fc.constantFrom(...OUTCOMES), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(outcomes, fc.array(fc.nat(19)), async (all, order) => {
      const ledger = createLedger(rowsWith(...all));
      const directory = await temporaryDirectory();
      const report = await growReport({ run: ledger.run(), view: ledger.view, directory, now: NOW });
      for (const n of order) {
        ledger.close((n % ledger.chunks) + 1);
        await report.grow();
      }
      expect((await readdir(directory)).filter((name) => !name.startsWith('.'))).toEqual([]);
      expect(await report.complete()).toBe(true);
      await report.publish(ledger.run());
      await report.discard();
      expect(await filesOf(directory)).toEqual(await wholeReport(ledger));
    }),
    { numRuns: 30 },
  );
});

it('writes what is closed in the file’s order, and waits at the first chunk that is open', async () => {
  const ledger = createLedger(rowsWith('created', 'created', 'created', 'created', 'created', 'created'));
  const read: number[] = [];
  const view: GrowingView = {
    ...ledger.view,
    async *settlements(first = 1) {
      read.push(first);
      yield* ledger.view.settlements(first);
    },
  };
  const directory = await temporaryDirectory();
  const report = await growReport({ run: ledger.run(), view, directory, now: NOW });
  ledger.close(1);
  ledger.close(3);
  await report.grow();
  expect(await report.complete()).toBe(true);
  await report.publish(ledger.run());
  await report.discard();
  expect(read).toEqual([2]);
  expect(await filesOf(directory)).toEqual(await wholeReport(ledger));
});

it('given any row that changed after it was written, is not complete; given one that changed before, is true', async () => {
  const outcomes = fc.array(fc.constantFrom('created', 'failed', 'in-doubt'), {
    minLength: 2,
    maxLength: 20,
  });
  const late = fc.array(fc.tuple(fc.nat(19), fc.constantFrom('created', 'failed'), fc.boolean()));
  await fc.assert(
    fc.asyncProperty(outcomes, late, async (all, changes) => {
      const ledger = createLedger(rowsWith(...all));
      const directory = await temporaryDirectory();
      const report = await growReport({ run: ledger.run(), view: ledger.view, directory, now: NOW });
      for (let n = 1; n < ledger.chunks; n += 1) ledger.close(n);
      const doubts = all.flatMap((outcome, i) => (outcome === 'in-doubt' ? [i + 1] : []));
      const change = (isBefore: boolean) => {
        const changed = new Set<number>();
        for (const [pick, outcome, before] of doubts.length === 0 ? [] : changes) {
          const row = doubts[pick % doubts.length] ?? 0;
          if (before !== isBefore) continue;
          ledger.settle(row, outcome);
          changed.add(row);
        }
        return changed;
      };
      change(true);
      const before = JSON.stringify(ledger.run().outcomes);
      await report.grow();
      const written = await snapshot(ledger);
      change(false);
      const isSame = (await snapshot(ledger)) === written;
      expect(await report.complete(), before).toBe(isSame);
      if (isSame) {
        await report.publish(ledger.run());
        expect(await filesOf(directory)).toEqual(await wholeReport(ledger));
      }
      await report.discard();
    }),
    { numRuns: 50 },
  );
});

/** The chunks that are written ahead, as they stand. */
async function snapshot({ view, chunks }: ReturnType<typeof createLedger>): Promise<string> {
  const numbers = Array.from({ length: Math.max(0, chunks - 1) }, (_, i) => i + 1);
  return JSON.stringify(await view.closedChunks(numbers));
}

it('is for its owner alone, and leaves nothing behind where it is given up', async () => {
  const ledger = createLedger(rowsWith('created', 'failed'));
  const directory = await temporaryDirectory();
  const report = await growReport({ run: ledger.run(), view: ledger.view, directory, now: NOW });
  ledger.close(1);
  await report.grow();
  expect(await readdir(directory)).toHaveLength(3);
  await report.discard();
  await report.discard();
  expect(await readdir(directory)).toEqual([]);
});

it('takes the place of one whose process is gone or has lost the run: its files go, and it can’t publish them', async () => {
  const ledger = createLedger(rowsWith('created', 'failed'));
  const directory = await temporaryDirectory();
  const lost = await growReport({ run: ledger.run(), view: ledger.view, directory, now: NOW });
  await lost.grow();
  const report = await growReport({ run: ledger.run(), view: ledger.view, directory, now: NOW });
  expect(await readdir(directory)).toEqual([]);
  await report.grow();
  expect(await lost.complete()).toBe(true);
  await expect(lost.publish(ledger.run())).rejects.toThrow('ENOENT');
  await lost.discard();
  expect(await report.complete()).toBe(true);
  await report.publish(ledger.run());
  await report.discard();
  expect(await filesOf(directory)).toEqual(await wholeReport(ledger));
  expect(await readFile(join(directory, 'failed.csv'), 'utf8')).toContain('Company 2');
});

it('given a file to correct that was changed while the run went on, leaves it and publishes the new one beside it', async () => {
  const ledger = createLedger(rowsWith('failed', 'created', 'failed'));
  const directory = await temporaryDirectory();
  const options = { run: ledger.run(), view: ledger.view, directory, now: NOW };
  await writeReport(options);
  await writeFile(join(directory, 'failed.csv'), 'corrected');
  const report = await growReport(options);
  ledger.close(1);
  await report.grow();
  expect(await report.complete()).toBe(true);
  const { kept, files } = await report.publish(ledger.run());
  expect([kept, files]).toEqual([['failed.csv'], expect.arrayContaining(['failed-2.csv'])]);
  expect(await filesOf(directory)).toMatchObject({
    'failed.csv': 'corrected',
    'failed-2.csv': expect.stringContaining('Company 3'),
  });
});
