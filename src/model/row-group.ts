/**
 * Row groups: where a job groups rows, those of one key that follow each other in the file are one
 * request. Here alone stands where a group begins and ends, for all who have to agree on it: chunks
 * are cut between groups, the first row of a group claims its key, its rows are sent and checked
 * together, and decided on together afterwards. The same rows give the same groups at every
 * reading, whatever number of them is read at a time.
 */
import type { Row } from './row.ts';

/** A group that is this long is cut here, and refused. */
export const MAX_GROUP_ROWS = 200;

type Numbered = { readonly row: number };

/** A row's key, `null` where it has none that can be read. */
export type KeyOf<T = Row> = (row: T) => string | null;

/** Rows that are one request, in file order. */
export type RowGroup<T> = {
  readonly lead: T;
  readonly mates: readonly T[];
  /**
   * The row without a readable key that stands right before or after the group, `null` where there
   * is none: it may belong to the group, which would then be sent without it.
   */
  readonly keyless: number | null;
};

/** Holds one group at a time; `keyOf` is `null` where each row is for itself. */
export function createGroupCutter<T extends Numbered>(
  keyOf: KeyOf<T> | null,
): {
  /** The group that ended before this row; `null` where none did. */
  take(row: T): RowGroup<T> | null;
  /** The last group; `null` where there was no row. */
  end(): RowGroup<T> | null;
} {
  if (keyOf === null) return { take: (lead) => ({ lead, mates: [], keyless: null }), end: () => null };
  const startsGroup = createGroupStart(keyOf);
  let open: { readonly lead: T; readonly mates: T[] } | null = null;
  let before: T | null = null;
  const close = (after: T | null) => {
    if (open === null) return null;
    const { lead, mates } = open;
    const last = mates.at(-1) ?? lead;
    const keyless = keylessBeside({ lead, last }, { before, after }, keyOf);
    open = null;
    before = last;
    return { lead, mates, keyless };
  };
  return {
    take(row) {
      const starts = startsGroup(row);
      if (open !== null && !starts) {
        open.mates.push(row);
        return null;
      }
      const ended = close(row);
      open = { lead: row, mates: [] };
      return ended;
    },
    end: () => close(null),
  };
}

export function groupRows<T extends Numbered>(rows: readonly T[], keyOf: KeyOf<T> | null): RowGroup<T>[] {
  const cutter = createGroupCutter(keyOf);
  return [...rows.map((row) => cutter.take(row)), cutter.end()].filter((group) => group !== null);
}

/** To be asked for rows in file order; a row without a key is a group of its own. */
export function createGroupStart<T extends Numbered>(keyOf: KeyOf<T>): (row: T) => boolean {
  let key: string | null = null;
  let last = 0;
  let size = 0;
  return (row) => {
    const own = keyOf(row);
    // In a rerun rows can be neighbours that were none in the file: they are no group.
    const joins = own !== null && own === key && row.row === last + 1 && size < MAX_GROUP_ROWS;
    key = own;
    last = row.row;
    size = joins ? size + 1 : 1;
    return !joins;
  };
}

/** Also where every other row has lost its key. */
const FORCED_ROWS = 2 * MAX_GROUP_ROWS;

/** To be asked for rows in file order; a row without a key is a group of its own. */
export function createGroupEnd<T extends Numbered>(keyOf: KeyOf<T>): (row: T, size: number) => boolean {
  const startsGroup = createGroupStart(keyOf);
  let isKeyless = false;
  return (row, size) => {
    const wasKeyless = isKeyless;
    isKeyless = keyOf(row) === null;
    return startsGroup(row) && (wasKeyless === isKeyless || size >= FORCED_ROWS);
  };
}

function keylessBeside<T extends Numbered>(
  { lead, last }: { readonly lead: T; readonly last: T },
  { before, after }: { readonly before: T | null; readonly after: T | null },
  keyOf: KeyOf<T>,
): number | null {
  if (keyOf(lead) === null) return null;
  if (before !== null && before.row === lead.row - 1 && keyOf(before) === null) return before.row;
  return after !== null && after.row === last.row + 1 && keyOf(after) === null ? after.row : null;
}
