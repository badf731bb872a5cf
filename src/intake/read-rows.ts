import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import type { Encoding, SourceInfo } from '../model/source.ts';
import { decodeText } from './decode-text.ts';
import type { FileHead } from './file-head.ts';
import { readHead } from './file-head.ts';
import { type Reading, unpack } from './inspect-file.ts';
import { understand } from './understand.ts';
import { NOT_UTF8, notIn } from './unreadable-row.ts';

/** Rows that became complete together. `source.columns` of JSON is empty: it takes all records to know them. */
export type RowBatch = { readonly source: SourceInfo; readonly rows: readonly Row[] };

/**
 * The rows of a text's bytes, whatever the block boundaries: the first batch comes without rows as soon as the file is
 * understood. UsageError where it can't be read as a whole; `path` is for the name's ending and for messages.
 */
export async function* readRows(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  { reading, format }: { readonly reading: Reading; readonly format: Format },
): AsyncGenerator<RowBatch> {
  const texts = decodeText(unpack(bytes, reading.container, path), reading.encoding, path);
  try {
    const head = await readHead(texts);
    refuseEmpty(path, head);
    const understood = understand(path, head, { ...format, encoding: reading.encoding });
    const { feed, start } = understood;
    const source = withReading(understood.source, reading);
    const rowsOf = (text: string, final: boolean) => inWords(feed(text, final), reading.encoding);
    yield { source, rows: [] };
    yield { source, rows: rowsOf(head.text.slice(start), false) };
    for await (const text of texts) yield { source, rows: rowsOf(text, false) };
    yield { source, rows: rowsOf('', true) };
  } finally {
    await texts.return(undefined);
  }
}

function withReading(source: SourceInfo, { container, encoding, notes, isUnended }: Reading): SourceInfo {
  const compression = container === 'gzip' ? 'gzip' : 'none';
  const unended = isUnended === true && source.type === 'csv' ? [UNENDED] : [];
  return { ...source, encoding, compression, notes: [...notes, ...source.notes, ...unended] };
}

const UNENDED =
  'The last line has no line end, though the others have one: the file may have been cut off. Check that its last row is whole, and that it is the last.';

/** The parsers know of bytes that are no characters, but not of which encoding. */
function inWords(rows: readonly Row[], encoding: Encoding): readonly Row[] {
  if (encoding === 'utf-8') return rows;
  return rows.map((row) =>
    row.kind === 'unreadable' && row.problem === NOT_UTF8 ? { ...row, problem: notIn(encoding) } : row,
  );
}

function refuseEmpty(path: string, head: FileHead): void {
  if (!head.whole || head.text.trim() !== '') return;
  throw new UsageError(
    `${path}: is empty: expected a CSV file with a header, or JSON; export the data again`,
  );
}
