import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import type { SourceInfo } from '../model/source.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import type { FileHead } from './file-head.ts';
import { readHead } from './file-head.ts';
import { understand } from './understand.ts';

/** Rows that became complete together. `source.columns` of JSON is empty: it takes all records to know them. */
export type RowBatch = { readonly source: SourceInfo; readonly rows: readonly Row[] };

/**
 * The one way from bytes to rows, whatever the block boundaries: the first batch comes without rows as soon as
 * the file is understood. UsageError where the file can't be read as a whole; `path` is for messages only.
 */
export async function* readRows(
  bytes: AsyncIterable<Buffer>,
  path: string,
  format: Format,
): AsyncGenerator<RowBatch> {
  const texts = decodeUtf8(bytes, path);
  try {
    const head = await readHead(texts);
    refuseEmpty(path, head);
    const { source, feed, start } = understand(path, head, format);
    yield { source, rows: [] };
    yield { source, rows: feed(head.text.slice(start), false) };
    for await (const text of texts) yield { source, rows: feed(text, false) };
    yield { source, rows: feed('', true) };
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
