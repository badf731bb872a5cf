/**
 * Reads a journal back for a ledger that lost something; its process may go on writing. A damaged
 * or unknown line is left out and reported: such a journal is not whole. The torn last line of a
 * crash is left out silently. Memory grows with the rows of two segments, and with rows whose
 * intents or ends cross from one segment to the next, not with the journal.
 */

import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { batchesOf } from '../lib/batches.ts';
import { hasCode, insteadOf } from '../lib/errors.ts';
import {
  decodeLine,
  HOLE,
  isTorn,
  JOURNAL_VERSION,
  type JournalRecord,
  type SettleEntry,
  type StoredRecord,
  versionOf,
} from './record.ts';
import {
  dropEmptyRows,
  emptyFold,
  type Fold,
  fold,
  outlivesDoubt,
  type RowFold,
  residueOf,
  rowKey,
} from './row-fold.ts';
import { segmentName } from './segments.ts';

/**
 * Replays one worker's journal. The last word on a row holds: intents neither withdrawn nor ended,
 * in their order, else its last settle entry, else nothing. All segments but the newest are read
 * twice, since they no longer grow: only one at a time is in memory, with the rows that cross to
 * the next.
 */
export async function* readJournal(
  folder: string,
  worker: string,
  onDamage: OnDamage = () => {},
): AsyncGenerator<Replayed> {
  const path = join(folder, worker);
  const segments = await segmentsOf(path);
  const full = segments.slice(0, -1);
  const folded = emptyFold();
  for (const segment of full) {
    const own = await foldOf(path, segment, onDamage);
    for (const record of residueOf(own)) fold(folded, record, segment);
    dropEmptyRows(folded);
  }
  for (const newest of segments.slice(-1)) await foldSegment(folded, path, { segment: newest, onDamage });
  dropEmptyRows(folded);
  yield* runsOf(folded);
  for (const segment of full) yield* entriesOf(folded, path, segment);
  yield* rowsLeft(folded);
}

type SegmentToRead = { readonly segment: number; readonly onDamage: OnDamage };

/** A segment that was deleted meanwhile adds nothing: all of its runs are forgotten. */
async function foldSegment(into: Fold, path: string, { segment, onDamage }: SegmentToRead): Promise<void> {
  try {
    for await (const record of readRecords(path, segment, onDamage)) fold(into, record, segment);
  } catch (error) {
    if (!hasCode(error, MISSING)) throw error;
  }
}

async function foldOf(path: string, segment: number, onDamage: OnDamage): Promise<Fold> {
  const folded = emptyFold();
  await foldSegment(folded, path, { segment, onDamage });
  return folded;
}

function* runsOf({ runs }: Fold): Generator<Replayed> {
  for (const [run, { target, fields }] of runs) {
    if (fields !== null) yield { kind: 'run', run, target, fields };
  }
  for (const [run, { added }] of runs) if (added > 0) yield { kind: 'added', run, chunk: added };
}

/** What a full segment settled as the last word. The first reading reported its damage. */
async function* entriesOf(into: Fold, path: string, segment: number): AsyncGenerator<Replayed> {
  const { runs } = await foldOf(path, segment, () => {});
  for (const [run, { rows }] of runs) {
    if ((into.forgotten.get(run) ?? 0) > segment) continue;
    const open = into.runs.get(run)?.rows;
    const entries = [...rows.values()].flatMap(({ entry }) =>
      entry !== null && isLastWord(open, entry, segment) ? [entry] : [],
    );
    for (const batch of batchesOf(entries, BATCH)) yield { kind: 'settled', run, entries: batch };
  }
}

/** Also drops what the row had before the entry. */
function isLastWord(rows: ReadonlyMap<string, RowFold> | undefined, entry: SettleEntry, at: number): boolean {
  const [chunk, number] = entry;
  const row = rows?.get(rowKey(chunk, number));
  if (row === undefined) return true;
  if (row.endedAt > at && !outlivesDoubt(entry, row.entry)) return false;
  row.entry = null;
  for (const [mark, intent] of row.open) if (intent.at < at) row.open.delete(mark);
  return row.open.size === 0;
}

function* rowsLeft({ runs }: Fold): Generator<Replayed> {
  for (const [run, { rows }] of runs) {
    const settled = [...rows.values()].flatMap(({ entry, open }) =>
      entry === null || open.size > 0 ? [] : [entry],
    );
    for (const entries of batchesOf(settled, BATCH)) yield { kind: 'settled', run, entries };
  }
  for (const [run, { rows }] of runs) {
    // The last one stands, except those that the reader leaves out.
    const intended = [...rows.values()].flatMap(({ open }) => [...open.values()].map(({ intent }) => intent));
    for (const batch of batchesOf(intended, BATCH)) yield { kind: 'intended', run, rows: batch };
  }
}

const BATCH = 200;
/** A segment is deleted when all of its runs are forgotten. */
const MISSING = 'ENOENT';

/**
 * In the order to put back: every run's fields, every run's highest added chunk, what was settled,
 * and last the intents without a known end. At most 200 entries or rows in one.
 */
export type Replayed =
  | Extract<JournalRecord, { kind: 'run' | 'added' | 'intended' }>
  | { readonly kind: 'settled'; readonly run: string; readonly entries: readonly SettleEntry[] };

/** A line, from 1, that isn't what was written: it is left out. */
export type Damage = { readonly file: string; readonly line: number };
type OnDamage = (damage: Damage) => void;

const SEGMENT = /^(\d{6,})\.log$/;
/** Form 1 compressed its full segments. */
const SEGMENT_OF_FORM_1 = /^\d{6,}\.gz$/;

/** A worker's segment numbers in order; none where the journal was removed. */
async function segmentsOf(path: string): Promise<number[]> {
  const names = await namesIn(path);
  return names.flatMap((name) => SEGMENT.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
}

function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(insteadOf(MISSING, []));
}

/**
 * A segment's records; anything else is reported, but for the torn last line of a crash. A segment
 * of another version has none. Throws ENOENT where there is no such file.
 */
async function* readRecords(
  folder: string,
  segment: number,
  onDamage: OnDamage,
): AsyncGenerator<StoredRecord> {
  const file = join(folder, segmentName(segment));
  let line = 0;
  for await (const next of linesOf(file)) {
    line += 1;
    const read = line === 1 ? readHead(next) : (decodeLine(next.text) ?? damageOf(next));
    if (typeof read === 'object') yield read;
    else if (read === 'damaged' || read === 'foreign') onDamage({ file, line });
    if (read === 'foreign') return;
  }
}

function readHead(line: Line): 'head' | 'foreign' | 'torn' | 'damaged' {
  const version = versionOf(line.text);
  if (version === null) return damageOf(line);
  return version === JOURNAL_VERSION ? 'head' : 'foreign';
}

function damageOf({ text, isEnded }: Line): 'torn' | 'damaged' {
  return !isEnded && isTorn(text) ? 'torn' : 'damaged';
}

/** A journal's form in words, where this program does not read it. */
export async function foreignForm(folder: string, worker: string): Promise<string | null> {
  const version = await formOf(join(folder, worker));
  if (version === null || version === JOURNAL_VERSION) return null;
  const form = version === 0 ? 'an older form, without a version' : `form ${version}`;
  return `${form}; this version of onboard knows form ${JOURNAL_VERSION} alone`;
}

/** `null`: there is no readable first line. */
async function formOf(path: string): Promise<number | null> {
  if ((await namesIn(path)).some((name) => SEGMENT_OF_FORM_1.test(name))) return 1;
  const [first] = await segmentsOf(path);
  return first === undefined ? null : firstVersion(join(path, segmentName(first)));
}

async function firstVersion(file: string): Promise<number | null> {
  try {
    for await (const { text } of linesOf(file)) return versionOf(text);
    return null;
  } catch (error) {
    // Its process may be about to remove it.
    if (hasCode(error, MISSING)) return null;
    throw error;
  }
}

/** `isEnded`: a line feed follows. */
type Line = { readonly text: string; readonly isEnded: boolean };

async function* linesOf(file: string): AsyncGenerator<Line> {
  let rest = '';
  for await (const piece of textOf(file)) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, isEnded: true };
  }
  if (rest !== '') yield { text: rest, isEnded: false };
}

/** Without the zeros that were written ahead. */
async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const handle = await open(file, 'r');
  try {
    for await (const bytes of writtenIn(handle)) yield decoder.write(bytes);
    yield decoder.end();
  } finally {
    await handle.close();
  }
}

const ZEROS_WITHIN = Buffer.from(HOLE);

async function* writtenIn(handle: FileHandle): AsyncGenerator<Buffer> {
  let at = 0;
  for (let bytes = await bytesAt(handle, at); bytes.length > 0; bytes = await bytesAt(handle, at)) {
    const zero = bytes.indexOf(0);
    const written = zero === -1 ? bytes : bytes.subarray(0, zero);
    at += written.length;
    if (written.length > 0) yield written;
    if (zero === -1) continue;
    const behind = await writtenBehind(handle, at);
    if (behind === null) return;
    // Writes become visible in their order: zeros in front of written bytes are lost ones.
    const [first] = await bytesAt(handle, at);
    if (first !== 0) continue;
    yield ZEROS_WITHIN;
    at = behind;
  }
}

/** Where something stands behind zeros; `null`: nothing. */
async function writtenBehind(handle: FileHandle, from: number): Promise<number | null> {
  let at = from;
  for (let bytes = await bytesAt(handle, at); bytes.length > 0; bytes = await bytesAt(handle, at)) {
    const written = bytes.findIndex((byte) => byte !== 0);
    if (written !== -1) return at + written;
    at += bytes.length;
  }
  return null;
}

const BLOCK_BYTES = 64 * 1024;

async function bytesAt(handle: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, position);
  return buffer.subarray(0, bytesRead);
}
