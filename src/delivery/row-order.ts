/**
 * The order in which one take of a chunk sends its rows for the first time. The ledger is told of it as ranges, in one field of the chunk
 * instead of one for each row; whoever takes the chunk over reads from it which rows may have been sent. So each range names the rows
 * before its end that go another way. A row that is tried again, follows its record's fields or may repeat what a lost worker did is in no order.
 */

import type { Range } from '../ledger/intent.ts';
import type { KeyPlace } from '../ledger/keys.ts';
import { UNSENT_MARK } from '../ledger/mark.ts';
import type { Taken } from '../ledger/open-chunk.ts';

export type RowOrder = {
  /** Whether the row's first attempt goes in order; not once it has left it, or the order has passed it. */
  has(row: number): boolean;
  /** What the ledger is asked for the next rows, which are in the order and ascend. */
  rangeOf(rows: ReadonlyArray<{ readonly row: number; readonly identity: KeyPlace | null }>): Range;
  /** The row was granted: the order has come so far. */
  passed(row: number): void;
  /** The claims of these keys are to be looked at: from now on each row goes by itself. */
  end(): void;
};

type RowOrderOptions = {
  readonly chunk: number;
  readonly taker: string;
  readonly taken: Pick<Taken, 'at' | 'marks'>;
  /** The epoch of the claims; without it no row goes in order. */
  readonly claimed: string | undefined;
  readonly repeatable: boolean;
  /** All rows of the chunk, ascending. */
  readonly rows: readonly number[];
  /** Those that go in order. */
  readonly inOrder: ReadonlySet<number>;
};

export function createRowOrder(options: RowOrderOptions): RowOrder {
  const { chunk, taker, taken, claimed, repeatable, inOrder } = options;
  const apart = options.rows.flatMap((row) => apartOf(row, options));
  let isOver = claimed === undefined;
  let last = 0;
  return {
    has: (row) => !isOver && row > last && inOrder.has(row),
    rangeOf(rows) {
      const end = rows.at(-1)?.row ?? 0;
      const going = new Set(rows.map(({ row }) => row));
      // What a taker before has left in doubt is told with the first range, wherever it stands; so is a row of the order that was left out.
      const told = apart.filter(
        ([row, mark]) => (mark !== UNSENT_MARK && last === 0) || (row > last && row < end && !going.has(row)),
      );
      return {
        chunk,
        taker,
        seen: taken.at,
        from: last,
        repeatable,
        claimed: claimed ?? '',
        rows,
        apart: told,
      };
    },
    passed(row) {
      last = Math.max(last, row);
    },
    end() {
      isOver = true;
    },
  };
}

/** What stands on a row that does not go with a range; none where it has its outcome. */
function apartOf(
  row: number,
  { taken }: RowOrderOptions,
): ReadonlyArray<readonly [row: number, mark: string]> {
  const mark = taken.marks.get(row);
  if (mark?.kind === 'settled') return [];
  return [[row, mark?.text ?? UNSENT_MARK]];
}
