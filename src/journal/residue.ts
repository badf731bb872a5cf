import type { StoredRecord } from './record.ts';
import type { Fold, RowFold } from './row-fold.ts';

/** What a segment's records come down to, but for what they settled, as records; these intents are later than what was settled. */
export function* residueOf({ runs, forgotten }: Fold): Generator<StoredRecord> {
  for (const run of forgotten.keys()) yield { kind: 'forgotten', run };
  for (const [run, { target, fields, added, rows }] of runs) {
    if (fields !== null) yield { kind: 'run', run, target, fields };
    if (added > 0) yield { kind: 'added', run, chunk: added };
    for (const row of rows.values()) yield* residueOfRow(run, row);
  }
}

function* residueOfRow(run: string, row: RowFold): Generator<StoredRecord> {
  const [chunk, number] = row.place;
  if (row.endedAt > 0 && row.entry === null) yield { kind: 'unsettled', run, rows: [[chunk, number]] };
  for (const mark of row.withdrawn) yield { kind: 'withdrawn', run, rows: [[chunk, number, mark]] };
  for (const { intent } of row.open.values()) yield { kind: 'intended', run, rows: [[...intent]] };
}
