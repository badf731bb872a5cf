/**
 * The order in which one take of a chunk first sends its rows. The ledger keeps how far it has
 * come (the watermark); whoever takes the chunk over reads there which rows may have been sent.
 * So each range names the rows before its end that go another way: retries, rows whose record's
 * fields are followed, and take-overs of a lost worker's rows.
 */

import type { Range, RangeRow } from '../engine/ledger/intent.ts';
import { UNSENT_MARK } from '../engine/ledger/mark.ts';
import type { Taken } from '../engine/ledger/open-chunk.ts';

export type RowOrder = {
  /** Either all rows in the order may be sent again, or none may; the first one decides. */
  admits(repeatable: boolean): boolean;
  /** Whether the order has yet to come to the row. */
  isBefore(row: number): boolean;
  /** The range for the next rows of the order, ascending. */
  rangeOf(rows: readonly RangeRow[]): Range;
  passed(row: number): void;
};

type RowOrderOptions = {
  readonly chunk: number;
  readonly fencingToken: string;
  readonly taken: Pick<Taken, 'watermark' | 'marks'>;
  readonly claimed: string;
  /** All rows of the chunk, ascending. */
  readonly rows: readonly number[];
};

export function createRowOrder(options: RowOrderOptions): RowOrder {
  const { chunk, fencingToken, taken, claimed } = options;
  /** Without rows that have their outcome. */
  const rows = options.rows.filter((row) => taken.marks.get(row)?.kind !== 'settled');
  let areRepeatable: boolean | null = null;
  let last = 0;

  const markOf = (row: number) => {
    const found = taken.marks.get(row);
    return found?.kind === 'intent' ? found.text : UNSENT_MARK;
  };
  const outOfOrderIn = (going: readonly RangeRow[]): Range['outOfOrder'] => {
    const range = new Set(going.map(({ row }) => row));
    const end = going.at(-1)?.row ?? 0;
    const isFirst = last === 0;
    const passedOver = rows.filter((row) => row > last && !range.has(row));
    // The first range also names every row that an earlier take left in doubt.
    const named = passedOver.filter((row) => row < end || (isFirst && markOf(row) !== UNSENT_MARK));
    return named.map((row) => ({ row, mark: markOf(row) }));
  };

  return {
    admits(repeatable) {
      areRepeatable ??= repeatable;
      return areRepeatable === repeatable;
    },
    isBefore: (row) => row > last,
    rangeOf: (going) => ({
      chunk,
      fencingToken,
      seen: taken.watermark,
      from: last,
      repeatable: areRepeatable === true,
      claimed,
      rows: going,
      outOfOrder: outOfOrderIn(going),
    }),
    passed(row) {
      last = Math.max(last, row);
    },
  };
}
