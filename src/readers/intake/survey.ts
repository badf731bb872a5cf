/**
 * What is known of a file read to its end, before anything is sent: that it can be read as a whole,
 * its number of rows, its columns. A sample tells the same of the first rows alone.
 */
import { createHash } from 'node:crypto';
import { changedWhileRead, fileStamp } from '../../lib/file-stamp.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { visitLeaves } from '../../model/json-record.ts';
import type { Row } from '../../model/row.ts';
import {
  type FileFacts,
  isTable,
  REPORT_KEY_COLUMN,
  REPORT_KEY_MEMBER,
  REPORT_MEMBER,
  type SourceInfo,
} from '../../model/source.ts';
import { readChunks } from './chunks.ts';
import { tooManyNames } from './column-names.ts';
import { asShown } from './encoding.ts';
import { BLOCK_BYTES, fileBytes, tap } from './file.ts';
import { createOriginLook } from './origins.ts';
import { createSpreadSample } from './profile.ts';
import { recordObject } from './row.ts';
import type { ReadFormat, RowBatch } from './row-feed.ts';
import { openRows } from './rows.ts';

/** `begin`: as soon as columns are known, before the first row; maybe more than once. */
type RowLook = { begin(source: SourceInfo): void; see(row: Row): void };

/** `rows` counts unreadable ones too. UsageError where the file can't be read whole, or changes. */
export async function surveyFile(
  path: string,
  format: ReadFormat,
  look: RowLook | null = null,
): Promise<FileFacts> {
  const stamp = await stampOf(path);
  const hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  const origins = createOriginLook(path);
  const sample = createSpreadSample();
  const raw = tap(fileBytes(path), (block) => {
    hash.update(block);
    bytes += block.length;
  });
  const source = await lookThrough(path, openRows(path, format, raw), (seen, found) => {
    if (look !== null && isTable(found)) {
      if (rows === 0) look.begin(found);
      for (const row of seen) look.see(row);
    }
    origins.see(seen, found);
    sample.see(seen);
    rows += seen.length;
  });
  // Only all records of JSON together show its columns.
  if (look !== null && !isTable(source)) {
    look.begin(source);
    for await (const { rows } of readChunks(path, source, format)) for (const row of rows) look.see(row);
  }
  if ((await stampOf(path)) !== stamp) throw changedWhileRead(path);
  const sha256 = hash.digest('hex');
  const facts = { path, sha256, bytes, rows, source, chunkEnds: null, stamp, sample: sample.rows() };
  return origins.found() ? { ...facts, namesRows: true } : facts;
}

/** SHA-256, lower-case hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of fileBytes(path, Buffer.allocUnsafe(BLOCK_BYTES))) hash.update(block);
  return hash.digest('hex');
}

/** Passes rows up to the limit to `see`. Without a header, the columns are those of these rows. */
async function lookThrough(
  path: string,
  batches: AsyncIterable<RowBatch>,
  see: (rows: readonly Row[], source: SourceInfo) => void,
  limit = Number.POSITIVE_INFINITY,
): Promise<SourceInfo> {
  const look = createSourceLook(path);
  let left = limit;
  for await (const batch of batches) {
    const rows = left < batch.rows.length ? batch.rows.slice(0, left) : batch.rows;
    left -= rows.length;
    see(rows, batch.source);
    look.see(batch, rows);
  }
  return look.source();
}

/** What all batches so far say of the file; of JSON, the columns are those of `rows`. */
function createSourceLook(path: string) {
  const columns = new Set<string>();
  const nameless = createNamelessColumns();
  let source: SourceInfo | null = null;
  return {
    see(batch: RowBatch, rows = batch.rows): void {
      source = batch.source;
      if (source.columns.includes(REPORT_KEY_COLUMN)) throw withoutCells(path, REPORT_KEY_COLUMN);
      collectColumns(path, rows, columns);
      nameless.see(batch);
    },
    source(): SourceInfo {
      if (source === null) throw new Error('a file was read without being understood');
      const notes = nameless.notes(source.notes);
      return { ...source, notes, columns: isTable(source) ? source.columns : [...columns] };
    },
  };
}

/** Columns that have values but no name: nothing is sent of them. */
export function createNamelessColumns() {
  const found = new Set<number>();
  return {
    see({ source: { columns }, rows }: RowBatch) {
      if (!columns.includes('')) return;
      for (const row of rows) {
        if (row.kind !== 'cells') continue;
        for (const [at, cell] of row.cells.entries())
          if (cell !== '' && columns[at] === '') found.add(at + 1);
      }
    },
    notes(notes: readonly string[]): string[] {
      const numbers = [...found].sort((a, b) => a - b);
      if (numbers.length === 0) return [...notes];
      const which =
        numbers.slice(0, COLUMNS_LISTED).join(', ') + (numbers.length > COLUMNS_LISTED ? ' …' : '');
      const note = `Values in columns without a name (${which}) are not sent, and stay in the report files.`;
      return [...new Set([...notes, note])];
    },
  };
}

const COLUMNS_LISTED = 20;

/** Empty where the path has no stamp: opening the file says best what is wrong. */
async function stampOf(path: string): Promise<string> {
  return fileStamp(path).catch(() => '');
}

export type Sample = { readonly source: SourceInfo; readonly rows: readonly Row[] };

export async function readSample(path: string, format: ReadFormat, limit: number): Promise<Sample> {
  const rows: Row[] = [];
  const see = (seen: readonly Row[]) => void rows.push(...seen);
  return { source: await lookThrough(path, openRows(path, format), see, limit).catch(asShown), rows };
}

/** A file's first rows, while the rest of it is not read. */
type Beginning = Sample & {
  readonly isWhole: boolean;
  /** Reads the rest; `null`: the signal came first. A UsageError where it can't be read so. */
  rest(signal: AbortSignal): Promise<Whole | null>;
  close(): Promise<void>;
};

/** `unreadable`: how many rows, and the first of them. */
export type Whole = {
  readonly source: SourceInfo;
  readonly rows: number;
  readonly unreadable: { readonly rows: number; readonly first: Row | null };
};

/** As soon as so many rows are known. */
export async function openBeginning(path: string, format: ReadFormat, limit: number): Promise<Beginning> {
  const batches = openRows(path, format);
  const look = createSourceLook(path);
  const first: Row[] = [];
  const unreadable: { rows: number; first: Row | null } = { rows: 0, first: null };
  let rows = 0;
  const readOn = async (): Promise<boolean> => {
    const next = await batches.next();
    if (next.done === true) return false;
    look.see(next.value);
    for (const row of next.value.rows) {
      if (first.length < limit) first.push(row);
      if (row.kind !== 'unreadable') continue;
      unreadable.rows += 1;
      unreadable.first ??= row;
    }
    rows += next.value.rows.length;
    return true;
  };
  let hasMore = true;
  while (hasMore && rows < limit) hasMore = await readOn().catch(asShown);
  return {
    source: look.source(),
    rows: first,
    isWhole: !hasMore,
    async rest(signal) {
      while (hasMore && !signal.aborted) hasMore = await readOn().catch(asShown);
      if (hasMore) return null;
      return { source: look.source(), rows, unreadable };
    },
    close: async () => void (await batches.return(undefined)),
  };
}

/** In order of appearance, without the member that a report adds. */
function collectColumns(path: string, rows: readonly Row[], columns: Set<string>): void {
  const before = columns.size;
  for (const row of rows) collectRow(path, row, columns);
  if (columns.size === before) return;
  const problem = tooManyNames([...columns]);
  if (problem !== null) throw new UsageError(`${path}: ${problem}`);
}

function collectRow(file: string, row: Row, columns: Set<string>): void {
  if (row.kind !== 'record') return;
  visitLeaves(recordObject(row.text), (path) => {
    if (path === REPORT_KEY_MEMBER) throw withoutCells(file, path);
    if (path !== REPORT_MEMBER && !path.startsWith(`${REPORT_MEMBER}.`)) columns.add(path);
  });
}

/** Sent, its rows would be other records. */
function withoutCells(file: string, name: string): UsageError {
  return new UsageError(
    `${file}: is a report's file without the cells of its rows ("${name}" says so): expected one with them; \`onboard report RUN --originals\` writes it`,
  );
}
