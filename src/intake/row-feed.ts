/**
 * What the reader and the parsers of CSV, JSON and workbooks hand each other: the head that a file is understood by, the
 * feed that turns its text into rows, and the batches in which rows come out.
 */
import type { Row } from '../model/row.ts';
import type { SourceInfo } from '../model/source.ts';

/** Rows that became complete together. `source.columns` of JSON is empty, since only all records together tell the columns. */
export type RowBatch = { readonly source: SourceInfo; readonly rows: readonly Row[] };

/** How a file is read: what it is, what makes rows of it, and where in the head the rows begin. */
export type Understanding = {
  readonly source: SourceInfo;
  readonly feed: RowFeed;
  readonly start: number;
};

/** Takes a file's text piece by piece and answers the rows that are complete; with `final` the file ends with this piece. */
export type RowFeed = (chunk: string, final: boolean) => readonly Row[];

/** A file's first characters, from which its type, header and delimiter are told. */
export type FileHead = {
  readonly bom: boolean;
  readonly text: string;
  readonly whole: boolean;
};

/** Characters of a head: enough for any header that makes sense; a longer header is refused. */
export const HEAD_CHARS = 256 * 1024;

/** Takes the head from the front of the texts, which then go on behind it. */
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

export const TEXT_SOURCE = {
  encoding: 'utf-8',
  compression: 'none',
  headerLine: 1,
  sheet: null,
  notes: [],
} satisfies Partial<SourceInfo>;
