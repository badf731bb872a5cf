/**
 * What a run's journal comes down to, row by row: open intents, else the last settle entry. The
 * last word on a row holds, but a later look puts no accepted row in doubt.
 */

import type { IntendedRow, MarkedRow, SettleEntry, StoredRecord } from './record.ts';

type RunRecord = Extract<StoredRecord, { kind: 'run' }>;

/** Sees all records once; then it knows for which rows only the whole file has the last word. */
export function createSurvey() {
  const settled = createRowSet();
  const repeated = new Set<number>();
  let run: RunRecord | null = null;
  let added = 0;
  const seeIntent = (row: number) => {
    if (settled.has(row)) repeated.add(row);
  };
  const seeEnd = (row: number) => {
    if (!settled.add(row)) repeated.add(row);
  };
  return {
    see(record: StoredRecord): void {
      if (record.kind === 'run') run = record;
      if (record.kind === 'added') added = Math.max(added, record.chunk);
      if (record.kind === 'intended') for (const { row } of record.rows) seeIntent(row);
      if (record.kind === 'settled') for (const { row } of record.entries) seeEnd(row);
    },
    /** `added`: the highest chunk, 0 for none. */
    found: (): { readonly record: RunRecord | null; readonly added: number } => ({ record: run, added }),
    /** Something is said of the row after it was settled. */
    isRepeated: (row: number) => repeated.has(row),
  };
}

/** One bit per row: a million rows take 125 kB. */
function createRowSet() {
  let bits = new Uint8Array(1024);
  const has = (row: number) => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  const grow = (at: number) => {
    const larger = new Uint8Array(2 * (at + 1));
    larger.set(bits);
    bits = larger;
  };
  return {
    has,
    /** False: the row was there before. */
    add(row: number): boolean {
      if (has(row)) return false;
      const at = row >> 3;
      if (at >= bits.length) grow(at);
      bits[at] = (bits[at] ?? 0) | (1 << (row & 7));
      return true;
    },
  };
}

type RowFold = {
  /** The last settle entry of a repeated row. */
  entry: SettleEntry | null;
  /** Intents since the last end, by mark. */
  readonly open: Map<string, IntendedRow>;
};

/** Takes records in order. Only repeated rows, and rows with an open intent, are in memory. */
export function createFold(isRepeated: (row: number) => boolean) {
  const rows = new Map<number, RowFold>();
  const rowOf = (row: number): RowFold => {
    const known = rows.get(row) ?? { entry: null, open: new Map() };
    rows.set(row, known);
    return known;
  };
  /** A row may have several intents, latest last: a refused one is withdrawn by its mark. */
  const intend = (intent: IntendedRow) => {
    const { row, mark } = intent;
    const { open } = rowOf(row);
    open.delete(mark);
    open.set(mark, intent);
  };
  const withdraw = ([, row, mark]: MarkedRow) => {
    const known = rows.get(row);
    known?.open.delete(mark);
    if (known?.open.size === 0 && known.entry === null) rows.delete(row);
  };
  /** A row retaken while its answer is recorded seems in doubt: the earlier entry stays. */
  const keep = (entry: SettleEntry) => {
    const row = rowOf(entry.row);
    row.open.clear();
    row.entry = isDoubt(entry) && row.entry !== null ? row.entry : entry;
  };
  const settle = (entry: SettleEntry): boolean => {
    const { row } = entry;
    if (isRepeated(row)) keep(entry);
    else rows.delete(row);
    return !isRepeated(row);
  };
  return {
    rows,
    /** Answers the settle entries that are their rows' last words. */
    take(record: StoredRecord): readonly SettleEntry[] {
      if (record.kind === 'settled') return record.entries.filter(settle);
      if (record.kind === 'intended') for (const intent of record.rows) intend(intent);
      if (record.kind === 'withdrawn') for (const marked of record.rows) withdraw(marked);
      return [];
    },
    /** The last words on repeated rows. */
    settled: (): SettleEntry[] =>
      [...rows.values()].flatMap(({ entry, open }) => (entry === null || open.size > 0 ? [] : [entry])),
    /** All intents without a known end. */
    open: (): IntendedRow[] => [...rows.values()].flatMap(({ open }) => [...open.values()]),
  };
}

function isDoubt({ outcome }: SettleEntry): boolean {
  return outcome === 'in-doubt';
}
