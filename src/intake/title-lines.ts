import type { SampleRecord } from './csv-sample.ts';
import { looksLikeHeader } from './header-look.ts';

/** How many of the records below a header must have its number of cells before those above it are taken for titles. */
const MOST = 0.8;

/**
 * The record that looks like the header where the first one clearly isn't it, else `null`: the first has fewer cells
 * (or, padded with empty ones, a single one that isn't empty), as have all up to a record that looks like a header,
 * and most records below that have as many cells as it.
 */
export function headerBelow(records: readonly SampleRecord[]): SampleRecord | null {
  const [first] = records;
  if (first === undefined) return null;
  const isPadded = first.cells.length > 1 && filled(first) === 1;
  const count = isPadded ? filled : ({ cells }: SampleRecord) => cells.length;
  let most = count(first);
  for (const [at, record] of records.entries()) {
    if (count(record) <= most) continue;
    most = count(record);
    const below = records.slice(at + 1).map(count);
    const fitting = below.filter((cells) => (isPadded ? cells > 1 : cells === most)).length;
    const isTable = fitting > 0 && fitting >= MOST * below.length;
    if (isTable && looksLikeHeader(record.cells.slice(0, filled(record)))) return record;
  }
  return null;
}

/** How many cells there are up to the last one that isn't empty. */
function filled({ cells }: SampleRecord): number {
  return 1 + cells.findLastIndex((cell) => cell !== '');
}
