/**
 * Reads a journal back for a ledger that lost something; its process may go on writing. A file is
 * read from its end: memory grows with the rows in flight, not with the journal.
 */

import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { batchesOf } from '../../../lib/batches.ts';
import { insteadOf } from '../../../lib/errors.ts';
import { runFile, runsIn } from './folder.ts';
import {
  decodeLine,
  type IntendedRow,
  isForeign,
  isTorn,
  type JournalRecord,
  type MarkedRow,
  type SettleEntry,
  type StoredRecord,
} from './record.ts';

/**
 * In the order to put back: the run's record, what was settled, its highest added chunk, and last
 * the intents without a known end. At most 200 entries or rows in one.
 */
export type Replayed =
  | Extract<JournalRecord, { kind: 'run' | 'added' }>
  | { readonly kind: 'intended'; readonly run: string; readonly rows: readonly IntendedRow[] }
  | { readonly kind: 'settled'; readonly run: string; readonly entries: readonly SettleEntry[] };

export type JournalOfRun = {
  readonly worker: string;
  readonly run: string;
  /** Redis has lost something of that worker: its torn last line may be the rest of many. */
  readonly isTornDamage?: boolean;
};

/** The first line, from 1, that isn't what was written: all such are left out. */
export type Damage = { readonly file: string; readonly line: number };

const BATCH = 200;

/**
 * What a worker's journal has of a run: of each row its intents neither withdrawn nor ended, else
 * its last settle entry, else nothing; a later look puts no accepted row in doubt. A damaged or
 * unknown line is left out and reported: such a journal is not whole. A killed process' torn last
 * line was acknowledged to nobody, where no more is missing. Nothing where the file was removed.
 */
export async function* readRun(
  folder: string,
  { worker, run, isTornDamage = false }: JournalOfRun,
  onDamage: (damage: Damage) => void = () => undefined,
): AsyncGenerator<Replayed> {
  const file = runFile(join(folder, worker), run);
  const bytes = (await stat(file).catch(insteadOf('ENOENT', null)))?.size ?? 0;

  const first = decodeLine(await firstLineOf(file));
  if (first?.kind === 'run') yield first;

  const fold = createFold();
  const records = recordsBack(linesBack(file, bytes), {
    isTornDamage,
    onDamage: (line) => onDamage({ file, line }),
  });
  for await (const entries of inBatches(lastWords(records, fold))) yield { kind: 'settled', run, entries };

  if (fold.added > 0) yield { kind: 'added', run, chunk: fold.added };

  for (const batch of batchesOf(openIntents(fold), BATCH)) yield { kind: 'intended', run, rows: batch };
}

/** The last settle entries of rows, each as soon as it is known; the fold then has the rest. */
async function* lastWords(
  records: AsyncIterable<StoredRecord>,
  fold: Fold,
): AsyncGenerator<readonly SettleEntry[]> {
  for await (const record of records) yield foldIn(fold, record);
  yield [...fold.doubts.values()];
}

async function* inBatches<Item>(lists: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  let waiting: Item[] = [];
  for await (const list of lists) {
    waiting.push(...list);
    if (waiting.length < BATCH) continue;
    yield* batchesOf(waiting, BATCH);
    waiting = [];
  }
  yield* batchesOf(waiting, BATCH);
}

/**
 * What a run's journal comes down to, row by row: open intents, else the last settle entry. It is
 * filled from the last record back: nothing before a row's last word counts. In memory are rows
 * with an open intent or in doubt.
 */
type Fold = {
  /** Rows that no earlier record says more of. */
  readonly complete: RowSet;
  /** Their last entry; an earlier one may know more. */
  readonly doubts: Map<number, SettleEntry>;
  /** Without a known end, by row; the latest first. */
  readonly intents: Map<number, IntendedRow[]>;
  /** Row and mark. */
  readonly withdrawn: Set<string>;
  /** The highest chunk; 0: none. */
  added: number;
};

function createFold(): Fold {
  return { complete: createRowSet(), doubts: new Map(), intents: new Map(), withdrawn: new Set(), added: 0 };
}

/** Takes the record before all that it has; answers entries that are their rows' last words. */
function foldIn(fold: Fold, record: StoredRecord): readonly SettleEntry[] {
  if (record.kind === 'settled') return record.entries.toReversed().filter((entry) => settle(fold, entry));
  if (record.kind === 'intended') for (const intent of record.rows.toReversed()) intend(fold, intent);
  if (record.kind === 'withdrawn') for (const marked of record.rows) withdraw(fold, marked);
  if (record.kind === 'added') fold.added = Math.max(fold.added, record.chunk);
  return [];
}

function intend({ complete, doubts, intents, withdrawn }: Fold, intent: IntendedRow): void {
  const { row, mark } = intent;
  const isEnded = complete.has(row) || doubts.has(row) || withdrawn.has(`${row} ${mark}`);
  if (isEnded) return;
  const later = intents.get(row) ?? [];
  const isRepeated = later.some((one) => one.mark === mark);
  if (!isRepeated) intents.set(row, [...later, intent]);
}

function withdraw({ complete, withdrawn }: Fold, [, row, mark]: MarkedRow): void {
  if (!complete.has(row)) withdrawn.add(`${row} ${mark}`);
}

/** Answers whether the entry is its row's last word. */
function settle({ complete, doubts, intents }: Fold, entry: SettleEntry): boolean {
  const { row, outcome } = entry;
  if (complete.has(row)) return false;
  const isOpen = intents.has(row);
  if (outcome === 'in-doubt' && !isOpen) {
    doubts.set(row, entry);
    return false;
  }
  complete.add(row);
  doubts.delete(row);
  return !isOpen;
}

/** All intents without a known end, in their order. */
function openIntents({ intents }: Fold): IntendedRow[] {
  return [...intents.values()].flat().reverse();
}

type RowSet = ReturnType<typeof createRowSet>;

/** One bit per row: a million rows take 125 kB. */
function createRowSet() {
  let bits = new Uint8Array(1024);
  return {
    has: (row: number) => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0,
    add(row: number): void {
      const at = row >> 3;
      if (at >= bits.length) {
        const larger = new Uint8Array(2 * (at + 1));
        larger.set(bits);
        bits = larger;
      }
      bits[at] = (bits[at] ?? 0) | (1 << (row & 7));
    },
  };
}

/** `isEnded`: a line feed follows. */
type Line = { readonly text: string; readonly isEnded: boolean };

type Damages = {
  readonly isTornDamage: boolean;
  readonly onDamage: (line: number) => void;
};

/** Reports the damaged line that stands first once all are read: only then its number is known. */
async function* recordsBack(
  lines: AsyncIterable<Line>,
  { isTornDamage, onDamage }: Damages,
): AsyncGenerator<StoredRecord> {
  let count = 0;
  let belowDamage: number | null = null;
  for await (const { text, isEnded } of lines) {
    const record = decodeLine(text);
    const isHarmless = record === null && !isEnded && !isTornDamage && isTorn(text);
    if (isHarmless) continue;
    if (record === null) belowDamage = count;
    else yield record;
    count += 1;
  }
  if (belowDamage !== null) onDamage(count - belowDamage);
}

const BLOCK_BYTES = 256 * 1024;

/** Of a file's first bytes, the last first. */
async function* linesBack(file: string, bytes: number): AsyncGenerator<Line> {
  let isEnded = false;
  /** The end of a line that begins further ahead. */
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of blocksBack(file, bytes)) {
    const piece = Buffer.concat([block, rest]);
    const feed = piece.indexOf('\n');
    if (feed === -1) {
      rest = piece;
      continue;
    }
    rest = piece.subarray(0, feed);
    const whole = piece.subarray(feed + 1).toString('utf8');
    for (const text of whole.split('\n').reverse()) {
      if (isEnded || text !== '') yield { text, isEnded };
      isEnded = true;
    }
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), isEnded };
}

/** None where the file was removed meanwhile: its run is forgotten. */
async function* blocksBack(file: string, bytes: number): AsyncGenerator<Buffer> {
  const handle = bytes === 0 ? null : await open(file).catch(insteadOf('ENOENT', null));
  if (handle === null) return;
  try {
    for (let end = bytes; end > 0; end -= BLOCK_BYTES) {
      const from = Math.max(0, end - BLOCK_BYTES);
      const block = Buffer.alloc(end - from);
      const { bytesRead } = await handle.read(block, 0, block.length, from);
      if (bytesRead < block.length) {
        throw new Error(`${file} has become shorter while it was read`);
      }
      yield block;
    }
  } finally {
    await handle.close();
  }
}

/** Whether another version of the program wrote it. */
export async function isForeignJournal(folder: string, worker: string): Promise<boolean> {
  const path = join(folder, worker);
  for (const run of await runsIn(path)) {
    if (isForeign(await firstLineOf(runFile(path, run)))) return true;
  }
  return false;
}

async function firstLineOf(file: string): Promise<string> {
  let text = '';
  try {
    for await (const piece of createReadStream(file, 'utf8')) {
      text += piece;
      if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
    }
  } catch (error) {
    return insteadOf('ENOENT', '')(error);
  }
  return text;
}
