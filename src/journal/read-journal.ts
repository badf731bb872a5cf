import { join } from 'node:path';
import { listSegments, type OnDamage, readRecords, type Segment } from './read-lines.ts';
import type { SettleEntry } from './record.ts';
import type { Replayed } from './replayed.ts';
import { residueOf } from './residue.ts';
import {
  dropEmptyRows,
  emptyFold,
  type Fold,
  fold,
  outlivesDoubt,
  placeKey,
  type RowFold,
} from './row-fold.ts';

export type { Damage } from './read-lines.ts';

/**
 * Replays one member's journal; also while its process goes on writing. The last word on a row holds: intents that
 * were neither withdrawn nor brought to an end, in their order, else its last settle entry, else nothing. Archives are read twice. In
 * memory: the rows of the raw segments, of one archive, and those whose intents or ends cross from one to the next.
 */
export async function* readJournal(
  folder: string,
  member: string,
  onDamage: OnDamage = () => {},
): AsyncGenerator<Replayed> {
  const path = join(folder, member);
  const folded = emptyFold();
  const archives: Segment[] = [];
  for (const segment of await segmentsOf(path)) {
    const read = await foldSegment(folded, path, { segment, onDamage });
    if (read.form === 'gz') archives.push(read);
    dropEmptyRows(folded);
  }
  yield* runsOf(folded);
  for (const archive of archives) yield* archivedEntries(folded, path, archive);
  yield* openRows(folded);
}

/** None where the journal was removed. */
async function segmentsOf(path: string): Promise<Segment[]> {
  try {
    return await listSegments(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

type Reading = { readonly segment: Segment; readonly onDamage: OnDamage };

/** Answers what was read: a raw segment may have become an archive meanwhile. */
async function foldSegment(into: Fold, path: string, { segment, onDamage }: Reading): Promise<Segment> {
  try {
    if (segment.form === 'gz') {
      const archived = await foldOf(path, segment, onDamage);
      for (const record of residueOf(archived)) fold(into, record, segment.number);
    } else {
      for await (const record of readRecords(path, segment, onDamage)) fold(into, record, segment.number);
    }
    return segment;
  } catch (error) {
    if (!isMissing(error)) throw error;
    const archive: Segment = { number: segment.number, form: 'gz' };
    return segment.form === 'gz' ? segment : foldSegment(into, path, { segment: archive, onDamage });
  }
}

async function foldOf(path: string, segment: Segment, onDamage: OnDamage): Promise<Fold> {
  const folded = emptyFold();
  for await (const record of readRecords(path, segment, onDamage)) fold(folded, record, segment.number);
  return folded;
}

/** A segment is deleted when all of its runs are forgotten. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function* runsOf({ runs }: Fold): Generator<Replayed> {
  for (const [run, { target, fields }] of runs) {
    if (fields !== null) yield { kind: 'run', run, target, fields };
  }
  for (const [run, { added }] of runs) if (added > 0) yield { kind: 'added', run, chunk: added };
}

async function* archivedEntries(into: Fold, path: string, archive: Segment): AsyncGenerator<Replayed> {
  const { runs } = await archivedAgain(path, archive);
  for (const [run, { rows }] of runs) {
    if ((into.forgotten.get(run) ?? 0) > archive.number) continue;
    const open = into.runs.get(run)?.rows;
    const entries = [...rows.values()].flatMap(({ entry }) =>
      entry !== null && isLastWord(open, entry, archive.number) ? [entry] : [],
    );
    for (const batch of batches(entries)) yield { kind: 'settled', run, entries: batch };
  }
}

/** Damage was told of the first time. */
async function archivedAgain(path: string, archive: Segment): Promise<Fold> {
  try {
    return await foldOf(path, archive, () => {});
  } catch (error) {
    if (!isMissing(error)) throw error;
    return emptyFold();
  }
}

/** Also takes from the row what came before the entry. */
function isLastWord(rows: ReadonlyMap<string, RowFold> | undefined, entry: SettleEntry, at: number): boolean {
  const [chunk, number] = entry;
  const row = rows?.get(placeKey(chunk, number));
  if (row === undefined) return true;
  if (row.endedAt > at && !outlivesDoubt(entry, row.entry)) return false;
  row.entry = null;
  for (const [mark, intent] of row.open) if (intent.at < at) row.open.delete(mark);
  return row.open.size === 0;
}

function* openRows({ runs }: Fold): Generator<Replayed> {
  for (const [run, { rows }] of runs) {
    const settled = [...rows.values()].flatMap(({ entry, open }) =>
      entry === null || open.size > 0 ? [] : [entry],
    );
    for (const entries of batches(settled)) yield { kind: 'settled', run, entries };
  }
  for (const [run, { rows }] of runs) {
    // The last one stands, but for those that the reader leaves out.
    const intended = [...rows.values()].flatMap(({ open }) => [...open.values()].map(({ intent }) => intent));
    for (const batch of batches(intended)) yield { kind: 'intended', run, rows: batch };
  }
}

const BATCH = 200;

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += BATCH) yield items.slice(i, i + BATCH);
}
