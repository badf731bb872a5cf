/**
 * Finds keys whose rows are not next to each other, though the job makes one request of the rows of
 * a key. Only the whole file shows which, so nothing is sent before. Keeps digests, not keys, to
 * stay small at a million keys.
 */
import { createDigestTable } from '../lib/digest.ts';
import type { Row } from '../model/row.ts';
import type { KeyOf } from '../model/row-group.ts';

export type ApartKeys = {
  /** The first row of its key outside this row's group; `null`: none. */
  otherRow(row: Row): number | null;
};

/** Complete once it has seen all rows, in file order. */
export function createApartKeys(keyOf: KeyOf): ApartKeys & { see(row: Row): void } {
  const firsts = createDigestTable();
  const seconds = createDigestTable();
  let key: string | null = null;
  let last = 0;
  return {
    see(row) {
      const own = keyOf(row);
      // A group over the size limit goes on here: its rows are still next to each other.
      const goesOn = own === key && row.row === last + 1;
      key = own;
      last = row.row;
      if (own === null || goesOn || firsts.setFirst(own, row.row) === undefined) return;
      seconds.setFirst(own, row.row);
    },
    otherRow(row) {
      const own = keyOf(row);
      const second = own === null ? undefined : seconds.get(own);
      if (own === null || second === undefined) return null;
      return row.row < second ? second : (firsts.get(own) ?? null);
    },
  };
}
