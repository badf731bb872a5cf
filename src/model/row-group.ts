import type { Row } from './row.ts';

/** Rows of one key are one request only while they are fewer: a group that is this long is cut here, and refused. */
export const MAX_GROUP_ROWS = 200;

export type KeyOf = (row: Row) => string | null;

/** Anything that stands for a row, by its number. */
type Numbered = { readonly row: number };

/**
 * Tells, asked for the rows in file order, whether a row begins a group: rows of one key that follow each other in the
 * file. A row whose key is missing or can't be read is a group of its own.
 */
export function createGroupStart<T extends Numbered>(keyOf: (row: T) => string | null): (row: T) => boolean {
  let key: string | null = null;
  let last = 0;
  let size = 0;
  return (row) => {
    const own = keyOf(row);
    // In a rerun rows can stand beside each other that did not in the file: those are no group.
    const joins = own !== null && own === key && row.row === last + 1 && size < MAX_GROUP_ROWS;
    key = own;
    last = row.row;
    size = joins ? size + 1 : 1;
    return !joins;
  };
}

/**
 * The row without a readable key that stands right before or after the group, `null` where there is none: it may be one of
 * the group's, so that the group would be sent without it.
 */
export function keylessBeside<T extends Numbered>(
  group: readonly T[],
  { before, after }: { readonly before: T | undefined; readonly after: T | undefined },
  keyOf: (row: T) => string | null,
): number | null {
  const first = group.at(0);
  const last = group.at(-1);
  if (first === undefined || last === undefined || keyOf(first) === null) return null;
  if (before !== undefined && before.row === first.row - 1 && keyOf(before) === null) return before.row;
  return after !== undefined && after.row === last.row + 1 && keyOf(after) === null ? after.row : null;
}

/** Gathers the rows of a stream into groups, a group at a time in memory. */
export function createGroupGatherer<T extends Numbered>(
  keyOf: (row: T) => string | null,
): {
  /** The group that ended before this row; `null` where none did. */
  take(row: T): readonly T[] | null;
  /** The last group; `null` where there was no row. */
  end(): readonly T[] | null;
} {
  const starts = createGroupStart(keyOf);
  let group: T[] = [];
  const ended = () => (group.length === 0 ? null : group);
  return {
    take(row) {
      if (!starts(row)) {
        group.push(row);
        return null;
      }
      const before = ended();
      group = [row];
      return before;
    },
    end: ended,
  };
}
