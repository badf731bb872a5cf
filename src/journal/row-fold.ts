/**
 * What a journal's records come down to, row by row: open intents, the last settle entry, and
 * withdrawn marks. The last word on a row holds, but a later look puts no accepted row in doubt. A
 * segment can be folded and its residue folded again.
 */

import type { IntendedRow, MarkedRow, SettleEntry, StoredRecord } from './record.ts';

/** One row; `at`: the segment that says so. */
export type RowFold = {
  readonly place: readonly [chunk: number, row: number];
  /** Segment of the last settle entry; 0: none. */
  endedAt: number;
  entry: SettleEntry | null;
  /** Intents since the last end, by mark. */
  readonly open: Map<string, { readonly intent: IntendedRow; readonly at: number }>;
  /** Marks withdrawn since the last end: their intents may stand in an earlier segment. */
  readonly withdrawn: Set<string>;
};

type RunFold = {
  target: string;
  /** `null`: nothing says how to restore the run. */
  fields: Readonly<Record<string, string>> | null;
  /** The highest chunk; 0: none. */
  added: number;
  readonly rows: Map<string, RowFold>;
};

export type Fold = {
  readonly runs: Map<string, RunFold>;
  /** The segment in which a run was last forgotten. */
  readonly forgotten: Map<string, number>;
};

export function emptyFold(): Fold {
  return { runs: new Map(), forgotten: new Map() };
}

export function fold(into: Fold, record: StoredRecord, at: number): void {
  if (record.kind === 'forgotten') {
    into.runs.delete(record.run);
    into.forgotten.set(record.run, at);
    return;
  }
  foldRun(runOf(into, record.run), record, at);
}

function foldRun(run: RunFold, record: Exclude<StoredRecord, { kind: 'forgotten' }>, at: number): void {
  switch (record.kind) {
    case 'run':
      run.target = record.target;
      run.fields = record.fields;
      return;
    case 'added':
      run.added = Math.max(run.added, record.chunk);
      return;
    case 'intended':
      for (const intent of record.rows) intend(rowOf(run, intent), intent, at);
      return;
    case 'withdrawn':
      for (const marked of record.rows) withdraw(rowOf(run, marked), marked);
      return;
    case 'settled':
      for (const entry of record.entries) settle(rowOf(run, entry), entry, at);
      return;
    default:
      record satisfies never;
  }
}

/** A row may have several intents: a refused one is withdrawn by its mark. */
function intend({ open }: RowFold, intent: IntendedRow, at: number): void {
  const [, , mark] = intent;
  open.delete(mark);
  open.set(mark, { intent, at });
}

function withdraw({ open, withdrawn }: RowFold, [, , mark]: MarkedRow): void {
  open.delete(mark);
  withdrawn.add(mark);
}

/** A row retaken while its answer is recorded seems in doubt: the earlier entry stays. */
function settle(row: RowFold, entry: SettleEntry, at: number): void {
  row.entry = isDoubt(entry) && row.entry !== null ? row.entry : entry;
  row.endedAt = at;
  row.open.clear();
  row.withdrawn.clear();
}

const OUTCOME = 2;
const ACCEPTED = 12;

function isDoubt(entry: SettleEntry): boolean {
  return entry[OUTCOME] === 'in-doubt';
}

/** Whether an earlier acceptance stands although the row seemed in doubt later. */
export function outlivesDoubt(entry: SettleEntry, later: SettleEntry | null): boolean {
  return entry[ACCEPTED] === 1 && later !== null && isDoubt(later);
}

function runOf({ runs }: Fold, run: string): RunFold {
  const known = runs.get(run) ?? { target: '', fields: null, added: 0, rows: new Map() };
  runs.set(run, known);
  return known;
}

function rowOf({ rows }: RunFold, [chunk, row]: readonly [number, number, ...unknown[]]): RowFold {
  const key = rowKey(chunk, row);
  const known = rows.get(key);
  if (known !== undefined) return known;
  const fresh: RowFold = {
    place: [chunk, row],
    endedAt: 0,
    entry: null,
    open: new Map(),
    withdrawn: new Set(),
  };
  rows.set(key, fresh);
  return fresh;
}

/** Drops withdrawn marks, and rows with nothing else: a reader that goes forward needs neither. */
export function dropEmptyRows({ runs }: Fold): void {
  for (const { rows } of runs.values()) {
    for (const [key, row] of rows) {
      row.withdrawn.clear();
      if (row.open.size === 0 && row.endedAt === 0) rows.delete(key);
    }
  }
}

export function rowKey(chunk: number, row: number): string {
  return `${chunk} ${row}`;
}

/** A segment's residue as records, without what it settled; its intents are later than that. */
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
  for (const mark of row.withdrawn) yield { kind: 'withdrawn', run, rows: [[chunk, number, mark]] };
  for (const { intent } of row.open.values()) yield { kind: 'intended', run, rows: [[...intent]] };
}
