import { createGroupStart, type KeyOf, keylessBeside } from '../model/row-group.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';

type JobRow = ChunkJob['rows'][number];

/** Rows of a chunk that travel in one request, in row order. */
export type RowGroup = {
  readonly lead: JobRow;
  readonly mates: readonly JobRow[];
  /** The row beside them that has no readable key, `null` where there is none. */
  readonly keyless: number | null;
};

/** Every row for itself, or rows of one key that follow each other in the file together; `null`: rows are not grouped. */
export function rowGroups(rows: ChunkJob['rows'], keyOf: KeyOf | null): RowGroup[] {
  const startsGroup = keyOf === null ? () => true : createGroupStart(keyOf);
  const groups: { readonly lead: JobRow; readonly mates: JobRow[] }[] = [];
  for (const row of rows) {
    const group = startsGroup(row.row) ? undefined : groups.at(-1);
    if (group === undefined) groups.push({ lead: row, mates: [] });
    else group.mates.push(row);
  }
  return groups.map((group, i) => ({
    ...group,
    keyless: keyOf === null ? null : besideOf(groups, i, keyOf),
  }));
}

function besideOf(
  groups: readonly Pick<RowGroup, 'lead' | 'mates'>[],
  at: number,
  keyOf: KeyOf,
): number | null {
  const rowsOf = (group: (typeof groups)[number] | undefined) =>
    group === undefined ? [] : [group.lead, ...group.mates].map(({ row }) => row);
  const neighbours = { before: rowsOf(groups[at - 1]).at(-1), after: rowsOf(groups[at + 1]).at(0) };
  return keylessBeside(rowsOf(groups[at]), neighbours, keyOf);
}

/**
 * The groups of rows whose keys are lost: one that may have been sent could have taken the unmarked rows after it along,
 * so they share its fate.
 */
export function groupsAtMarks(
  rows: readonly JobRow[],
  markOf: (row: JobRow['row']) => 'intent' | 'settled' | undefined,
): RowGroup[] {
  const groups: { lead: JobRow; mates: JobRow[]; isOpen: boolean }[] = [];
  for (const entry of rows) {
    const mark = markOf(entry.row);
    const current = groups.at(-1);
    if (mark === undefined && current?.isOpen === true) current.mates.push(entry);
    else groups.push({ lead: entry, mates: [], isOpen: mark === 'intent' });
  }
  return groups.map(({ lead, mates }) => ({ lead, mates, keyless: null }));
}
