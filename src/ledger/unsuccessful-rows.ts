import { type Outcome, succeeded } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import type { LedgerView, Settlement } from '../model/settlement.ts';

/** What was found of a run's rows while they were chosen. */
export type ChoiceCounts = {
  chosen: number;
  /** Of the outcomes asked for, but in an earlier rerun. */
  takenBefore: number;
  /** Of the outcomes asked for, but without a source record. */
  withoutRecord: number;
  inDoubt: number;
};

/** The rows of a run with one of the outcomes that no earlier rerun has taken, in row order, in batches; counts them as it goes. */
export async function* unsuccessfulRows(
  view: LedgerView,
  choice: { readonly outcomes: ReadonlySet<Outcome>; readonly reruns: readonly LedgerView[] },
  counts: ChoiceCounts,
): AsyncGenerator<readonly Row[], void, undefined> {
  const cursors = choice.reruns.map((rerun) => createRowCursor(rerun));
  try {
    for await (const settlements of view.settlements()) {
      counts.inDoubt += settlements.filter(({ outcome }) => outcome === 'in-doubt').length;
      const wanted: number[] = [];
      for (const { row, outcome } of settlements) {
        if (!choice.outcomes.has(outcome)) continue;
        if (await isIn(cursors, row)) counts.takenBefore += 1;
        else wanted.push(row);
      }
      const sources = await view.sources(wanted);
      const rows = wanted.flatMap((row) => sources.get(row) ?? []);
      counts.chosen += rows.length;
      counts.withoutRecord += wanted.length - rows.length;
      if (rows.length > 0) yield rows;
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

type RowCursor = ReturnType<typeof createRowCursor>;

async function isIn(cursors: readonly RowCursor[], row: number): Promise<boolean> {
  let found = false;
  // Each of them has to be moved on, also where an earlier one has the row.
  for (const cursor of cursors) found = (await cursor.has(row)) || found;
  return found;
}

/** A row on no line was made up, since its rerun had lost it: what was not sent of it is the parent's again. */
function isTaken({ line, outcome }: Settlement): boolean {
  return line > 0 || outcome === 'in-doubt' || succeeded(outcome);
}

/** Whether a run has a row; to be asked for rows in ascending order, since the run's rows pass by once. */
function createRowCursor(view: LedgerView) {
  const batches = view.settlements()[Symbol.asyncIterator]();
  let rows: readonly number[] = [];
  let at = 0;
  const peek = async (): Promise<number | null> => {
    while (at >= rows.length) {
      const { value, done } = await batches.next();
      if (done === true) return null;
      rows = value.filter(isTaken).map(({ row }) => row);
      at = 0;
    }
    return rows[at] ?? null;
  };
  return {
    async has(row: number): Promise<boolean> {
      let next = await peek();
      while (next !== null && next < row) {
        at += 1;
        next = await peek();
      }
      return next === row;
    },
    close: async () => void (await batches.return?.()),
  };
}
