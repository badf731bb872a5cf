import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unsuccessfulRows } from '../../src/ledger/reruns.ts';
import { OUTCOMES, type Outcome } from '../../src/model/outcome.ts';
import type { LedgerView } from '../../src/model/settlement.ts';
import { cells, makeView, settled } from '../report/make-report.ts';

const WANTED: ReadonlySet<Outcome> = new Set(['failed', 'cancelled']);

/** What is chosen of a run's rows, and the counts. */
async function choose(
  view: LedgerView,
  reruns: readonly LedgerView[],
  only: ReadonlySet<number> | null = null,
) {
  const counts = { chosen: 0, takenBefore: 0, withoutRecord: 0, inDoubt: 0 };
  const rows: number[] = [];
  for await (const batch of unsuccessfulRows(view, { outcomes: WANTED, rows: only, reruns }, counts)) {
    rows.push(...batch.map(({ row }) => row));
  }
  return { rows, counts };
}

test('for any run and earlier reruns, exactly the wanted rows that no rerun has are chosen, in order', async () => {
  const outcomes = fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 350 });
  const reruns = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 350 })), { maxLength: 3 });
  const named = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 350 })));
  await fc.assert(
    fc.asyncProperty(outcomes, reruns, named, async (list, taken, only) => {
      const settlements = list.map((outcome, i) => settled(i + 1, outcome));
      const sources = list.map((_, i) => cells(i + 1, 'a'));
      const views = taken.map((rows) =>
        makeView({ settlements: rows.toSorted((a, b) => a - b).map((row) => settled(row, 'created')) }),
      );
      const { rows, counts } = await choose(makeView({ settlements, sources }), views, only && new Set(only));
      const wanted = settlements
        .filter(({ row, outcome }) => WANTED.has(outcome) && only?.includes(row) !== false)
        .map(({ row }) => row);
      const free = wanted.filter((row) => !taken.flat().includes(row));
      expect(rows).toEqual(free);
      expect(counts).toEqual({
        chosen: free.length,
        takenBefore: wanted.length - free.length,
        withoutRecord: 0,
        inDoubt: list.filter((outcome) => outcome === 'in-doubt').length,
      });
    }),
  );
});

test('a row whose record is not kept any more is counted, not chosen', async () => {
  const settlements = [settled(1, 'failed'), settled(2, 'failed')];
  const { rows, counts } = await choose(makeView({ settlements, sources: [cells(2, 'a')] }), []);
  expect([rows, counts.withoutRecord]).toEqual([[2], 1]);
});

test('a row that a rerun had lost is chosen again, unless it is in doubt or succeeded there', async () => {
  const rows = [1, 2, 3, 4, 5];
  const view = makeView({
    settlements: rows.map((row) => settled(row, 'failed')),
    sources: rows.map((row) => cells(row, 'a')),
  });
  const lost = { line: 0 };
  const rerun = makeView({
    settlements: [
      settled(1, 'cancelled', lost),
      settled(2, 'in-doubt', lost),
      settled(3, 'created', lost),
      settled(4, 'failed', lost),
      settled(5, 'cancelled'),
    ],
  });
  const chosen = await choose(view, [rerun]);
  expect([chosen.rows, chosen.counts.takenBefore]).toEqual([[1, 4], 3]);
});
