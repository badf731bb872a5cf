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
  let found: SampleRecord | null = null;
  for (const [at, record] of records.entries()) {
    if (count(record) <= most) continue;
    most = count(record);
    const below = records.slice(at + 1).map(count);
    const fitting = below.filter((cells) => (isPadded ? cells > 1 : cells === most)).length;
    const isTable = fitting > 0 && fitting >= MOST * below.length;
    if (!isTable || !looksLikeHeader(record.cells.slice(0, filled(record)))) continue;
    if (!isPadded) return record;
    // A title may have a second cell, such as a name and what it says: the widest is the header.
    found = record;
  }
  return found;
}

/** How many of the rows above must have the cells of the first before they are taken for a table of its own. */
const MOST_ABOVE = 0.5;

/** Whether the records above `header` are themselves a table: a record that looks like a header, and rows as long as it. */
export function isBelowTable(records: readonly SampleRecord[], header: SampleRecord): boolean {
  const [first, ...rows] = records.slice(0, records.indexOf(header));
  if (first === undefined || rows.length === 0 || !looksLikeHeader(first.cells)) return false;
  const fitting = rows.filter(({ cells }) => cells.length === first.cells.length).length;
  return fitting > 0 && fitting >= MOST_ABOVE * rows.length;
}

/** How many cells there are up to the last one that isn't empty. */
function filled({ cells }: SampleRecord): number {
  return 1 + cells.findLastIndex((cell) => cell !== '');
}
