/**
 * Where in a file rows of one kind are: how many in each of at most 100 parts of equal size, for
 * pictures, and so that listing such rows reads no chunk of a part that has none.
 */

const MOST_PARTS = 100;

export function noPlaces(rows: number): Uint32Array {
  return new Uint32Array(Math.max(1, Math.min(MOST_PARTS, rows)));
}

export function countPlace(places: Uint32Array, row: number, rows: number): void {
  const part = partOf(row, places.length, rows);
  places[part] = (places[part] ?? 0) + 1;
}

/** Whether there may be such rows from row `first` to row `last`. */
export function areWithin(
  where: readonly number[],
  { first, last, rows }: { readonly first: number; readonly last: number; readonly rows: number },
): boolean {
  const parts = where.length;
  return where.slice(partOf(first, parts, rows), partOf(last, parts, rows) + 1).some((count) => count > 0);
}

/** A rerun's row has its number in the parent's file. */
function partOf(row: number, parts: number, rows: number): number {
  return Math.floor(((row - 1) * parts) / Math.max(rows, row));
}
