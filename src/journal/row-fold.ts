/**
 * What a run's journal comes down to, row by row: open intents, else the last settle entry. It is
 * gone through backwards: the last word on a row comes first, and nothing before it counts.
 */

import type { IntendedRow, MarkedRow, SettleEntry, StoredRecord } from './record.ts';

/** Takes records, the last one first. In memory are rows with an open intent or in doubt. */
export function createFold() {
  const known = createRowSet();
  /** Their last entry; an earlier one may know more. */
  const doubts = new Map<number, SettleEntry>();
  /** Without a known end, by row; the latest first. */
  const intents = new Map<number, IntendedRow[]>();
  const withdrawn = new Set<string>();
  let added = 0;

  const intend = (intent: IntendedRow) => {
    const { row, mark } = intent;
    if (known.has(row) || doubts.has(row)) return;
    const later = intents.get(row) ?? [];
    if (withdrawn.has(`${row} ${mark}`)) return;
    if (later.some((one) => one.mark === mark)) return;
    intents.set(row, [...later, intent]);
  };
  /** Answers whether that is the row's last word. */
  const settle = (entry: SettleEntry) => {
    const { row, outcome } = entry;
    if (known.has(row)) return false;
    const isDoubt = outcome === 'in-doubt' && !intents.has(row);
    if (isDoubt) doubts.set(row, entry);
    else {
      known.add(row);
      doubts.delete(row);
    }
    return !isDoubt && !intents.has(row);
  };
  const withdraw = ([, row, mark]: MarkedRow) => {
    if (!known.has(row)) withdrawn.add(`${row} ${mark}`);
  };
  return {
    /** Answers the settle entries that are their rows' last words. */
    take(record: StoredRecord): readonly SettleEntry[] {
      if (record.kind === 'settled') return record.entries.toReversed().filter(settle);
      if (record.kind === 'intended') record.rows.toReversed().forEach(intend);
      if (record.kind === 'withdrawn') record.rows.forEach(withdraw);
      if (record.kind === 'added') added = Math.max(added, record.chunk);
      return [];
    },
    /** Rows that nothing but a doubt was said of. */
    doubts: (): SettleEntry[] => [...doubts.values()],
    /** The highest chunk; 0: none. */
    added: () => added,
    /** All intents without a known end, in their order. */
    open: (): IntendedRow[] => [...intents.values()].flat().reverse(),
  };
}

/** One bit per row: a million rows take 125 kB. */
function createRowSet() {
  let bits = new Uint8Array(1024);
  return {
    has: (row: number) => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0,
    add(row: number): void {
      const at = row >> 3;
      if (at >= bits.length) {
        const larger = new Uint8Array(2 * (at + 1));
        larger.set(bits);
        bits = larger;
      }
      bits[at] = (bits[at] ?? 0) | (1 << (row & 7));
    },
  };
}
