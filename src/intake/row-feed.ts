/** What the reader and the parsers hand each other. */
import type { Row } from '../model/row.ts';
import type { SourceInfo } from '../model/source.ts';

/** `source.columns` of JSON is empty: only all records together show the columns. */
export type RowBatch = { readonly source: SourceInfo; readonly rows: readonly Row[] };

export type Understanding = {
  readonly source: SourceInfo;
  readonly feed: RowFeed;
  readonly start: number;
};

/** Returns the rows that are complete; `final`: the file ends with this chunk. */
export type RowFeed = (chunk: string, final: boolean) => readonly Row[];

/** A file's first characters, without its byte order mark; `whole`: there are no more. */
export type FileHead = {
  readonly bom: boolean;
  readonly text: string;
  readonly whole: boolean;
};

/** In characters: enough for any header that makes sense; a longer one is refused. */
export const HEAD_CHARS = 256 * 1024;

/** Takes the head off the texts, which go on behind it. */
export async function readHead(texts: AsyncIterator<string>): Promise<FileHead> {
  let text = '';
  let whole = false;
  while (!whole && text.length < HEAD_CHARS) {
    const next = await texts.next();
    if (next.done) whole = true;
    else text += next.value;
  }
  const bom = text.startsWith('\uFEFF');
  return { bom, text: bom ? text.slice(1) : text, whole };
}

export const SOURCE_DEFAULTS = {
  encoding: 'utf-8',
  bom: false,
  compression: 'none',
  headerLine: 1,
  sheet: null,
  delimiter: null,
  quote: null,
  columns: [],
  notes: [],
} satisfies Partial<SourceInfo>;
