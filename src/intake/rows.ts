/**
 * The reader: the one way from a file to rows. A file is inspected first (inspect.ts); then its head tells whether it is
 * CSV, JSON or a workbook, and the parser of that kind makes rows of all of it. Rows are the same however the bytes are
 * cut into blocks. What can't be read without a guess is an unreadable row, or, where it makes the rows after it
 * doubtful, refuses the file with a UsageError.
 */
import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import type { Encoding, SourceInfo } from '../model/source.ts';
import { noWorkbook, unpack } from './container.ts';
import { understandCsv } from './csv/csv.ts';
import { decodeText } from './decode.ts';
import { fileBytes } from './file.ts';
import type { Decoding } from './inspect.ts';
import { isReportRecord, understandJson } from './json/json.ts';
import { isReportText } from './report-file.ts';
import { NOT_UTF8, notIn } from './row.ts';
import { type FileHead, type RowBatch, readHead, type Understanding } from './row-feed.ts';
import { readWorkbook } from './xlsx/workbook.ts';

/**
 * The rows of a file in batches; the first batch comes without rows as soon as the file is understood, and the last one
 * has all notes. UsageError where the file can't be read as a whole. The file is closed when the consumer stops.
 */
export function openRows(path: string, decoding: Decoding, format: Format): AsyncGenerator<RowBatch> {
  return decoding.container === 'workbook'
    ? readWorkbook(path, format)
    : readRows(fileBytes(path), path, decoding, format);
}

/**
 * The same for the bytes of a text, whatever the block boundaries; `path` is for the name's ending and for messages.
 */
export async function* readRows(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  decoding: Decoding,
  format: Format,
): AsyncGenerator<RowBatch> {
  const texts = decodeText(unpack(bytes, decoding.container, path), decoding.encoding, path);
  try {
    const head = await readHead(texts);
    refuseEmpty(path, head);
    const understood = understand(path, head, { ...format, encoding: decoding.encoding });
    const { feed, start } = understood;
    const source = withDecoding(understood.source, decoding);
    const rowsOf = (text: string, final: boolean) => inWords(feed(text, final), decoding.encoding);
    yield { source, rows: [] };
    yield { source, rows: rowsOf(head.text.slice(start), false) };
    for await (const text of texts) yield { source, rows: rowsOf(text, false) };
    yield { source, rows: rowsOf('', true) };
  } finally {
    await texts.return(undefined);
  }
}

function refuseEmpty(path: string, head: FileHead): void {
  if (!head.whole || head.text.trim() !== '') return;
  throw new UsageError(
    `${path}: is empty: expected a CSV file with a header, or JSON; export the data again`,
  );
}

function withDecoding(source: SourceInfo, { container, encoding, notes, isUnended }: Decoding): SourceInfo {
  const compression = container === 'gzip' ? 'gzip' : 'none';
  const unended = isUnended === true && source.type === 'csv' ? [UNENDED] : [];
  return { ...source, encoding, compression, notes: [...notes, ...source.notes, ...unended] };
}

const UNENDED =
  'The last line has no line end, though the others have one: the file may have been cut off. Check that its last row is whole, and that it is the last.';

/** Names the encoding in problems with bytes that are no characters: the parsers don't know it. */
function inWords(rows: readonly Row[], encoding: Encoding): readonly Row[] {
  if (encoding === 'utf-8') return rows;
  return rows.map((row) =>
    row.kind === 'unreadable' && row.problem === NOT_UTF8 ? { ...row, problem: notIn(encoding) } : row,
  );
}

/** Tells from a file's head how to read it; UsageError where that can't be told or the header is broken. */
function understand(path: string, head: FileHead, format: Format): Understanding {
  if (format.type === 'xlsx' && !isReportText(head.text)) throw noWorkbook(path);
  const type = detectType(path, head.text, format);
  if (type === 'csv') return understandCsv(path, head, format);
  return understandJson(path, head, type, format.records);
}

type FileType = Exclude<SourceInfo['type'], 'xlsx'>;

/** The file's type: what the definition says, else by its ending and its first character that is no space. */
function detectType(path: string, head: string, format: Format): FileType {
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

/** Whether the file may be one object that holds the list of records: not where its type or name says one object per line. */
function isPointedTo(path: string, { type, records }: Format): boolean {
  return records !== undefined && type !== 'ndjson' && endingOf(path) !== 'ndjson';
}

function endingOf(path: string): FileType | null {
  const name = path.toLowerCase().replace(/\.gz$/, '');
  if (/\.(csv|tsv)$/.test(name)) return 'csv';
  if (/\.(ndjson|jsonl)$/.test(name)) return 'ndjson';
  return name.endsWith('.json') ? 'json' : null;
}

/** Objects one after the other are read the same way whether they are called json or ndjson. */
function jsonWithout(path: string, first: string, type: 'json' | 'ndjson'): FileType {
  if (first === '{' || type === 'ndjson') return 'ndjson';
  throw new UsageError(
    `${path}: is no JSON that can be read: expected [ or { as its first character; if it is CSV, set format.type: csv or name it .csv`,
  );
}
