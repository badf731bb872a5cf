/** What the reader and the parsers hand each other. */
import type { Format } from '../../config/job-definition.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import type { ReadingChoice, SourceInfo } from '../../model/source.ts';

/** `isNeeded`: a column that `format.short` may not leave empty; without it there is none. */
export type ReadFormat = Format & {
  readonly isNeeded?: (column: string) => boolean;
  /** The command whose output is the file. */
  readonly decrypt?: string | undefined;
};

/** `source.columns` of JSON is empty: only all records together show the columns. */
export type RowBatch = { readonly source: SourceInfo; readonly rows: readonly Row[] };

export type Understanding = {
  readonly source: SourceInfo;
  readonly feed: RowFeed;
  readonly start: number;
};

/** Returns the rows that are complete; `final`: the file ends with this chunk. */
export type RowFeed = (chunk: string, final: boolean) => readonly Row[];

/** Somebody has to say how the file is read: by one of these, if there are any. */
export class ChoiceError extends UsageError {
  readonly choices: readonly ReadingChoice[];

  constructor(problem: string, choices: readonly ReadingChoice[], options?: ErrorOptions) {
    super(problem, options);
    this.choices = choices;
  }
}

/** Too many lines have another number of cells than the header. */
export class ShapeError extends UsageError {
  /** They would be read by these; `null`: they would not, or short ones lack different columns. */
  readonly settings: ShapeSettings | null;

  constructor(problem: string, settings: ShapeSettings | null) {
    super(problem);
    this.settings = settings;
  }
}

export type ShapeSettings = Pick<Format, 'short' | 'long'>;

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
