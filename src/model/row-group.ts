/**
 * In a job with groups, neighbouring rows of one key are one request. Only this module decides
 * where a group begins and ends: chunks are cut between groups, a group's first row claims its key,
 * and its rows are sent, checked and settled together. The same rows give the same groups at every
 * reading, however many are read at a time.
 */
import type { Row } from './row.ts';

/** A group this long is cut here, and refused. */
export const MAX_GROUP_ROWS = 200;

type Numbered = { readonly row: number };

/** `null`: the row has no readable key. */
export type KeyOf<T = Row> = (row: T) => string | null;

export type RowGroup<T> = {
  readonly leader: T;
  readonly members: readonly T[];
  /**
   * A row without a readable key right before or after the group: it may belong to the group, which
   * would then go without it. `null`: none.
   */
  readonly keyless: number | null;
};

const NOBODY: readonly never[] = [];

/** `keyOf` is `null` where each row is for itself. */
export function createGroupCutter<T extends Numbered>(
  keyOf: KeyOf<T> | null,
): {
  /** The group that ended before this row; `null`: none did. */
  take(row: T): RowGroup<T> | null;
  /** The last group; `null`: there was no row. */
  end(): RowGroup<T> | null;
} {
  if (keyOf === null)
    return { take: (leader) => ({ leader, members: NOBODY, keyless: null }), end: () => null };
  const startsGroup = createGroupStart(keyOf);
  let open: { readonly leader: T; readonly members: T[] } | null = null;
  let before: T | null = null;
  const close = (after: T | null) => {
    if (open === null) return null;
    const { leader, members } = open;
    const last = members.at(-1) ?? leader;
    const keyless = keylessBeside({ leader, last }, { before, after }, keyOf);
    open = null;
    before = last;
    return { leader, members, keyless };
  };
  return {
    take(row) {
      const starts = startsGroup(row);
      if (open !== null && !starts) {
        open.members.push(row);
        return null;
      }
      const ended = close(row);
      open = { leader: row, members: [] };
      return ended;
    },
    end: () => close(null),
  };
}

export function groupRows<T extends Numbered>(rows: readonly T[], keyOf: KeyOf<T> | null): RowGroup<T>[] {
  const cutter = createGroupCutter(keyOf);
  return [...rows.map((row) => cutter.take(row)), cutter.end()].filter((group) => group !== null);
}

/** Ask in file order; a row without a key is a group of its own. */
export function createGroupStart<T extends Numbered>(keyOf: KeyOf<T>): (row: T) => boolean {
  let key: string | null = null;
  let last = 0;
  let size = 0;
  return (row) => {
    const own = keyOf(row);
    // A rerun's neighbours may not have been neighbours in the file: they are no group.
    const joins = own !== null && own === key && row.row === last + 1 && size < MAX_GROUP_ROWS;
    key = own;
    last = row.row;
    size = joins ? size + 1 : 1;
    return !joins;
  };
}

/** Also where every other row has lost its key. */
const FORCED_ROWS = 2 * MAX_GROUP_ROWS;

/** Ask in file order; a row without a key is a group of its own. */
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
  { leader, last }: { readonly leader: T; readonly last: T },
  { before, after }: { readonly before: T | null; readonly after: T | null },
  keyOf: KeyOf<T>,
): number | null {
  if (keyOf(leader) === null) return null;
  if (before !== null && before.row === leader.row - 1 && keyOf(before) === null) return before.row;
  return after !== null && after.row === last.row + 1 && keyOf(after) === null ? after.row : null;
}
