/**
 * Finds groups whose key has rows elsewhere too, before one request is made of all rows of a key.
 * Keeps digests, not keys, to stay small at a million keys.
 */
import { createDigestTable, tableDigest } from '../../lib/digest.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { createGroupStart, type KeyOf } from '../../model/row-group.ts';

type Keyed = { readonly keyOf: KeyOf; readonly groupOf: KeyOf };

type ApartRows = readonly (readonly [row: number, other: number])[];

/** `found`, once all rows were seen: groups' first rows, each with a row of its key elsewhere. */
export function createApartRows({ keyOf, groupOf }: Keyed): { see(row: Row): void; found(): ApartRows } {
  const startsGroup = createGroupStart(groupOf);
  const firsts = createDigestTable();
  const others = new Map<number, number>();
  /** A group over the size limit goes on with another first row. */
  const parts: [row: number, first: number][] = [];
  let key: string | null = null;
  let last = 0;
  let open = 0;
  return {
    see(row) {
      // A totals line has no key, though it is a group.
      const own = keyOf(row) === null ? null : groupOf(row);
      const isBeside = own === key && row.row === last + 1;
      key = own;
      last = row.row;
      if (!startsGroup(row) || own === null) return;
      if (isBeside) parts.push([row.row, open]);
      else open = row.row;
      const first = isBeside ? undefined : firsts.setFirst(tableDigest(own), row.row);
      if (first === undefined) return;
      others.set(row.row, first);
      if (!others.has(first)) others.set(first, row.row);
      if (others.size > MOST_APART) throw new UsageError(unsorted(first, row.row));
    },
    found() {
      for (const [row, first] of parts) others.set(row, others.get(first) ?? 0);
      return [...others].filter(([, other]) => other > 0);
    },
  };
}

/** They are kept with the run. */
const MOST_APART = 10_000;

function unsorted(first: number, row: number): string {
  return (
    `rows of one key stand apart in more than ${MOST_APART} places, ` +
    `such as rows ${first} and ${row}: sort the file by its key`
  );
}
