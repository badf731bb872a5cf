/**
 * Keys whose rows stand apart in a file although its job makes one request of the rows of a key:
 * which they are shows only when the whole file has been looked through, so that nothing is sent
 * before. Digests of the keys are kept, not the keys, so that a million of them take little room.
 */
import { createDigestTable } from '../lib/digest.ts';
import type { Row } from '../model/row.ts';
import type { KeyOf } from '../model/row-group.ts';

/** The keys of more than one group, which would be one record. */
export type ApartKeys = {
  /** The first row of its key outside the group that the row begins; `null`: there is none. */
  otherRow(row: Row): number | null;
};

/** Finds the keys whose rows stand apart, once it has seen all rows in file order. */
export function createApartKeys(keyOf: KeyOf): ApartKeys & { see(row: Row): void } {
  const firsts = createDigestTable();
  const seconds = createDigestTable();
  let key: string | null = null;
  let last = 0;
  return {
    see(row) {
      const own = keyOf(row);
      // A group that is too long goes on here: its rows do follow each other.
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
