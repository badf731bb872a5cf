/**
 * The reader: the one way from a file to rows. Rows are the same however the bytes are cut into
 * blocks. What can't be read without a guess is an unreadable row, or refuses the file with a
 * UsageError.
 */
import { createHash } from 'node:crypto';
import { shellFilter } from '../../lib/shell-filter.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { formatNamed } from '../../model/file-format.ts';
import type { SourceInfo } from '../../model/source.ts';
import { containerOf, gunzip, noWorkbook, refuseNested, SIGNATURE_BYTES } from './container.ts';
import { understandCsv } from './csv/csv.ts';
import { fileBytes, peek, tap } from './file.ts';
import { isReportRecord, understandJson } from './json/json.ts';
import { isReport, isReportText } from './report-file.ts';
import {
  type FileHead,
  HEAD_CHARS,
  type ReadFormat,
  type RowBatch,
  readHead,
  type Understanding,
} from './row-feed.ts';
import { openText } from './text.ts';
import { isReportBook, readWorkbook } from './xlsx/workbook.ts';
import { readArchive } from './xlsx/zip.ts';

/**
 * The first batch has no rows and comes as soon as the file is understood; the last has all notes.
 * UsageError where the file can't be read as a whole. `bytes`: the file's, read to their end and
 * closed when the consumer stops.
 */
export async function* openRows(
  path: string,
  format: ReadFormat,
  bytes: AsyncGenerator<Buffer> = fileBytes(path),
): AsyncGenerator<RowBatch, void, undefined> {
  const { decrypt, ...plain } = format;
  if (decrypt !== undefined) {
    const { start, all } = await peek(bytes, HEAD_CHARS);
    // The files of a report are in clear.
    if (isReport(start.toString('utf8'))) yield* openRows(path, plain, all);
    else yield* openDecrypted(path, decrypt, { format: plain, bytes: all });
    return;
  }
  try {
    const { start, all } = await peek(bytes, SIGNATURE_BYTES);
    const container = containerOf(start, path, format);
    if (container === 'plain' || container === 'gzip') yield* readText(all, container, path, format);
    else {
      for await (const _ of all);
      const readOnly = (table: AsyncGenerator<Buffer>, name: string) => readText(table, 'zip', name, format);
      const isArchive = container === 'zip' && !(await isReportBook(path));
      yield* isArchive ? readArchive(path, readOnly) : readWorkbook(path, format);
    }
  } finally {
    await bytes.return(undefined);
  }
}

const DECRYPTED_WITHIN_MS = 10 * 60_000;

/** As `openRows`, of what the command makes of the file. The last batch has the digest of that. */
async function* openDecrypted(
  path: string,
  command: string,
  { format, bytes }: { readonly format: ReadFormat; readonly bytes: AsyncGenerator<Buffer> },
): AsyncGenerator<RowBatch, void, undefined> {
  const failed = (problem: string) =>
    new UsageError(
      `${path}: the command under \`decrypt\` in the job definition ${problem}: ` +
        'expected status 0 and the file on its standard output; run it by hand with the file on its standard input',
    );
  const hash = createHash('sha256');
  const clear = tap(shellFilter(bytes, command, { timeoutMs: DECRYPTED_WITHIN_MS, failed }), (block) => {
    hash.update(block);
  });
  const { start, all } = await peek(clear, SIGNATURE_BYTES);
  const container = containerOf(start, path, format);
  if (container === 'zip' || container === 'workbook') {
    await all.return(undefined);
    throw new UsageError(`${path}: holds ${NO_ARCHIVE}`);
  }
  let last: RowBatch | null = null;
  for await (const batch of readText(all, container, path, format)) {
    if (last !== null) yield last;
    last = batch;
  }
  if (last !== null) yield { ...last, source: { ...last.source, clear: hash.digest('hex') } };
}

const NO_ARCHIVE =
  'a zip archive or an Excel workbook: expected CSV or JSON behind `decrypt`; decrypt a workbook by hand';

async function* readText(
  bytes: AsyncGenerator<Buffer>,
  container: 'plain' | 'gzip' | 'zip',
  path: string,
  format: ReadFormat,
): AsyncGenerator<RowBatch, void, undefined> {
  const isGzip = container === 'gzip';
  const { start, all } = await peek(isGzip ? gunzip(bytes, path) : bytes, SIGNATURE_BYTES);
  if (container !== 'plain') refuseNested(start, path);
  const { texts, encoding, notes } = await openText(all, path, format);
  try {
    const head = await readHead(texts);
    refuseEmpty(path, head);
    const { source: understood, feed, start } = understand(path, head, format);
    const source: SourceInfo = { ...understood, encoding, compression: isGzip ? 'gzip' : 'none' };
    yield { source, rows: [] };
    yield { source, rows: feed(head.text.slice(start), false) };
    let last = head.text;
    for await (const chunk of texts) {
      last = chunk;
      yield { source, rows: feed(chunk, false) };
    }
    const rows = feed('', true);
    const unended = source.type === 'csv' && isUnended(head, last) ? [UNENDED] : [];
    yield {
      source: { ...source, notes: [...notes(), ...source.notes, ...unended] },
      rows,
    };
  } finally {
    await texts.return(undefined);
  }
}

/** The last line has no end, though two others or more have one. */
function isUnended({ text }: FileHead, last: string): boolean {
  return /\n.*\n|\r.*\r/s.test(text) && !/[\r\n]$/.test(last);
}

function refuseEmpty(path: string, head: FileHead): void {
  if (!head.whole || head.text.trim() !== '') return;
  throw new UsageError(
    `${path}: is empty: expected a CSV file with a header, or JSON; export the data again`,
  );
}

const UNENDED =
  'The last line has no line end, though the others have one: check that the file was not cut off there.';

function understand(path: string, head: FileHead, format: ReadFormat): Understanding {
  if (format.type === 'xlsx' && !isReportText(head.text)) throw noWorkbook(path);
  const type = detectType(path, head.text, format);
  if (type === 'csv') return understandCsv(path, head, format);
  return understandJson(path, head, type, format);
}

type FileType = Exclude<SourceInfo['type'], 'xlsx'>;

function detectType(path: string, head: string, format: ReadFormat): FileType {
  const first = head.trimStart().charAt(0);
  if (format.type === 'csv') return 'csv';
  const isList = first === '[' || (first === '{' && isPointedTo(path, format) && !isReportRecord(head));
  if (format.type !== 'auto' && format.type !== 'xlsx')
    return isList ? 'json' : jsonWithout(path, first, format.type);
  const ending = endingOf(path);
  if (ending === 'csv') return 'csv';
  if (isList) return 'json';
  if (first === '{') return 'ndjson';
  return ending === null ? 'csv' : jsonWithout(path, first, ending);
}

/** Whether the file may be an object that holds the list: not if type or name says one per line. */
function isPointedTo(path: string, { type, records }: ReadFormat): boolean {
  return records !== undefined && type !== 'ndjson' && endingOf(path) !== 'ndjson';
}

function endingOf(path: string): FileType | null {
  const format = formatNamed(path);
  return format === 'xlsx' ? null : format;
}

/** Objects one after the other are read alike, whether they are called json or ndjson. */
function jsonWithout(path: string, first: string, type: 'json' | 'ndjson'): FileType {
  if (first === '{' || type === 'ndjson') return 'ndjson';
  throw new UsageError(
    `${path}: is no JSON that can be read: expected [ or { as its first ` +
      'character; if it is CSV, set format.type: csv or name it .csv',
  );
}
