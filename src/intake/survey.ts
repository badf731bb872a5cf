/**
 * What is known of a file once it has been read to its end, before anything is sent: that it can be read as a whole, how
 * many rows it has and which columns. A sample tells the same of the first rows alone.
 */
import type { Format } from '../config/job-definition.ts';
import { changedWhileRead, fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import { visitLeaves } from '../model/flatten-record.ts';
import type { Row } from '../model/row.ts';
import { type FileFacts, isTable, REPORT_MEMBER, type SourceInfo } from '../model/source.ts';
import { tooLongTogether } from './column-names.ts';
import { inspectFile } from './inspect.ts';
import { recordObject } from './row.ts';
import type { RowBatch } from './row-feed.ts';
import { openRows } from './rows.ts';

/**
 * Reads a whole file twice, to tell how its bytes become text and then for its rows: its hash, its number of rows
 * (readable or not) and how it was understood. UsageError where it can't be read as a whole.
 */
export async function surveyFile(path: string, format: Format): Promise<FileFacts> {
  const columns = new Set<string>();
  const nameless = createNamelessColumns();
  let rows = 0;
  let source: SourceInfo | null = null;
  const stamp = await stampOf(path);
  const inspected = await inspectFile(path, format);
  for await (const batch of openRows(path, inspected, format)) {
    source = batch.source;
    rows += batch.rows.length;
    collectColumns(path, batch, columns);
    nameless.see(batch);
  }
  if (source === null) throw new Error('a file was read without being understood');
  if ((await stampOf(path)) !== stamp) {
    throw changedWhileRead(path);
  }
  const { sha256, bytes } = inspected;
  const whole = withColumns({ ...source, notes: nameless.notes(source.notes) }, columns);
  return { path, sha256, bytes, rows, source: whole, chunkEnds: null, stamp };
}

/** Finds the columns of a table that have values but no name: nothing is sent of them. */
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
    /** The notes with one on these columns, where there are some. */
    notes(notes: readonly string[]): string[] {
      const numbers = [...found].sort((a, b) => a - b);
      if (numbers.length === 0) return [...notes];
      const [which, has] = numbers.length === 1 ? ['Column', 'has'] : ['Columns', 'have'];
      const note = `${which} ${listed(numbers)} ${has} values but no name in the header: the values are not sent, and stay in the report files.`;
      return [...new Set([...notes, note])];
    },
  };
}

/** As many columns as a person looks through. */
const COLUMNS_LISTED = 20;

function listed(numbers: readonly number[]): string {
  const rest = numbers.length - COLUMNS_LISTED;
  return numbers.slice(0, COLUMNS_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Empty where the path has no stamp: opening the file then says best what is wrong. */
async function stampOf(path: string): Promise<string> {
  return fileStamp(path).catch(() => '');
}

/** How a file is understood, and its first rows; the columns of JSON are those of these rows. */
export type Sample = { readonly source: SourceInfo; readonly rows: readonly Row[] };

/** Reads up to `limit` rows from the front of a file. Its encoding is told by all bytes, as in a survey; UsageError as there. */
export async function readSample(path: string, format: Format, limit: number): Promise<Sample> {
  const columns = new Set<string>();
  const nameless = createNamelessColumns();
  const rows: Row[] = [];
  let source: SourceInfo | null = null;
  const inspected = await inspectFile(path, format);
  for await (const batch of openRows(path, inspected, format)) {
    source = batch.source;
    const taken = batch.rows.slice(0, limit - rows.length);
    rows.push(...taken);
    collectColumns(path, { source, rows: taken }, columns);
    nameless.see({ source, rows: taken });
    if (rows.length >= limit) break;
  }
  if (source === null) throw new Error('a file was read without being understood');
  return { source: withColumns({ ...source, notes: nameless.notes(source.notes) }, columns), rows };
}

/** The source with the field paths met in its records; a CSV source knows its columns already. */
function withColumns(source: SourceInfo, paths: ReadonlySet<string>): SourceInfo {
  return isTable(source) ? source : { ...source, columns: [...paths] };
}

/** Adds the field paths of a batch of JSON records, in order of appearance, without the member that a report adds. */
function collectColumns(path: string, batch: RowBatch, columns: Set<string>): void {
  const before = columns.size;
  for (const row of batch.rows) collectRow(row, columns);
  if (columns.size === before) return;
  const problem = tooLongTogether(columns);
  if (problem !== null) throw new UsageError(`${path}: ${problem}`);
  if (columns.size <= MAX_PATHS) return;
  throw new UsageError(
    `${path}: its records have more than ${MAX_PATHS} different fields together: expected records of one kind; check that it is the right file`,
  );
}

/** The most field paths that the records of one JSON file may have together; more than that is no table. */
const MAX_PATHS = 10_000;

function collectRow(row: Row, columns: Set<string>): void {
  if (row.kind !== 'record') return;
  visitLeaves(recordObject(row.text), (path) => {
    if (path !== REPORT_MEMBER && !path.startsWith(`${REPORT_MEMBER}.`)) columns.add(path);
  });
}
