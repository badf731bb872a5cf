import type { Row } from '../model/row.ts';
import { createGroupEnd, type KeyOf } from '../model/row-group.ts';

/** How a run is cut into chunks. */
export type Cutting = {
  /** The smallest chunk, but for the last one. */
  readonly chunkRows: number;
  /** The same for the first one alone, where it goes ahead of the others. */
  readonly firstRows?: number | undefined;
  /** Where rows of one key are one request: a chunk goes on to the end of its last group. */
  readonly keyOf: KeyOf | null;
};

/** Tells, asked for the rows in file order, whether a chunk that has `size` rows so far ends before the row. */
export function createCut(cutting: Cutting): (row: Row, size: number) => boolean {
  const { chunkRows, firstRows, keyOf } = cutting;
  const mayEndBefore = keyOf === null ? () => true : createGroupEnd(keyOf);
  let least = firstRows ?? chunkRows;
  return (row, size) => {
    const ends = mayEndBefore(row, size) && size >= least;
    if (ends) least = chunkRows;
    return ends;
  };
}

/** The same ends for rows that are not grouped: that takes no reading. */
export function evenEnds(rows: number, { chunkRows, firstRows }: Omit<Cutting, 'keyOf'>): number[] {
  const ends: number[] = [];
  for (let end = firstRows ?? chunkRows; end < rows; end += chunkRows) ends.push(end);
  return rows === 0 ? ends : [...ends, rows];
}

/** The number of rows up to the end of each chunk, for a run whose rows are grouped. */
export async function chunkEndsOf(
  batches: AsyncIterable<{ readonly rows: readonly Row[] }>,
  cutting: Cutting,
): Promise<number[]> {
  const endsBefore = createCut(cutting);
  const ends: number[] = [];
  let read = 0;
  for await (const { rows } of batches) {
    for (const row of rows) {
      const before = ends.at(-1) ?? 0;
      if (endsBefore(row, read - before)) ends.push(read);
      read += 1;
    }
  }
  return read === 0 ? ends : [...ends, read];
}
