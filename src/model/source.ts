/**
 * How a file was understood, what one reading of all of it found, and what report files add to
 * records.
 */
import { z } from 'zod';
import { FILE_FORMATS, FILE_TYPES } from './file-format.ts';
import type { Row } from './row.ts';

/** Of Unicode only `utf-8`, `utf-16le`, `utf-16be`. */
export type Encoding = string;

/** To choose from, likeliest first. */
export const ENCODINGS: readonly Encoding[] = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'iso-8859-1',
  'iso-8859-15',
  'iso-8859-2',
  'macintosh',
  'cp850',
  'windows-1253',
  'windows-1254',
  'windows-1257',
  'cp852',
  'cp866',
  'koi8-r',
  'gbk',
  'shift_jis',
  'big5',
  'euc-kr',
];

/** `columns`: a table's header, or every field path in the JSON records. */
export const sourceInfoSchema = z.object({
  type: z.enum(FILE_TYPES),
  encoding: z.string(),
  bom: z.boolean(),
  compression: z.enum(['none', 'gzip']),
  headerLine: z.number().int().positive(),
  sheet: z.string().nullable(),
  /** The workbook's. */
  sheets: z.array(z.string()).optional(),
  /** JSON pointers to lists of objects, which may be the records. */
  recordLists: z.array(z.string()).optional(),
  /** What the reader decided on thin evidence, for people; no cell values. */
  notes: z.array(z.string()),
  delimiter: z.string().nullable(),
  quote: z.string().nullable(),
  columns: z.array(z.string()),
  /** Positions of columns whose date cells have day and month swapped. */
  swapped: z.array(z.number()).optional(),
  /** SHA-256 of what the job's `decrypt` made of the file; only a whole reading has it. */
  clear: z.string().optional(),
  /** Positions of a workbook's columns of whole numbers of different lengths; absent: not known. */
  uneven: z.array(z.number()).optional(),
  /** By field of a rule `unique`: rows, each with the row before it that has the same. */
  repeats: z.record(z.string(), z.array(z.tuple([z.number(), z.number()]))).optional(),
});
export type SourceInfo = z.infer<typeof sourceInfoSchema>;

/** A setting of `format` that could read a file, of several to be chosen from. */
export const readingChoiceSchema = z.object({
  setting: z.enum(['header', 'encoding', 'sheet', 'hidden', 'records', 'delimiter', 'quote', 'type']),
  value: z.string(),
  /** How it would read: the columns' names, or a line. Personal data. */
  shows: z.array(z.string()),
});
export type ReadingChoice = z.infer<typeof readingChoiceSchema>;

/** Cells under a header, not JSON records. */
export function isTable({ type }: Pick<SourceInfo, 'type'>): boolean {
  return FILE_FORMATS[type].kind !== 'json';
}

export function sourceWords(
  source: Omit<SourceInfo, 'bom' | 'quote' | 'columns' | 'notes'> & { readonly bom?: boolean },
): string {
  const { type, encoding, bom = false, compression, delimiter, sheet, headerLine } = source;
  const isWorkbook = FILE_FORMATS[type].kind === 'workbook';
  return [
    isWorkbook ? FILE_FORMATS[type].name : type.toUpperCase(),
    ...(compression === 'none' ? [] : [compression]),
    ...(isWorkbook ? [] : [encoding + (bom ? ' with a byte order mark' : '')]),
    ...(delimiter === null ? [] : [`delimiter ${JSON.stringify(delimiter)}`]),
    ...(sheet === null ? [] : [`sheet ${JSON.stringify(sheet)}`]),
    ...(headerLine === 1 ? [] : [`header on line ${headerLine}`]),
  ].join(', ');
}

/** By run: rows of a file, each with the row of that earlier run which it was before. */
export type Origins = ReadonlyMap<string, readonly (readonly [row: number, from: number])[]>;

/** From one reading of the whole file, before anything is sent. */
export type FileFacts = {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
  readonly source: SourceInfo;
  /** In jobs with groups: the number of rows up to the end of each chunk. */
  readonly chunkEnds: number[] | null;
  /**
   * Groups' first rows, each
   * with a row of its key elsewhere.
   */
  readonly apart?: readonly (readonly [number, number])[];
  /** Rows say that they were rows of earlier runs. */
  readonly namesRows?: boolean;
  /** Rows spread over the file. Personal data. */
  readonly sample?: readonly Row[];
  /** Inode, size and time of change: shows whether the file is still the same. */
  readonly stamp: string;
};

/** Columns that a report file adds; ignored when it is loaded. */
export const REPORT_COLUMN_PREFIX = 'onboard_';
/** In a JSON record of a report file; ignored when it is loaded. */
export const REPORT_MEMBER = '_onboard';
/** In report files without cells: what has the column, or a record's member, is not loaded. */
export const REPORT_KEY_COLUMN = 'onboard_key';
export const REPORT_KEY_MEMBER = '_onboard.key';
/** In failed.csv: an unreadable row's text, as it stood in the file. */
export const REPORT_TEXT_COLUMN = 'onboard_text';
/** In a file with this column one leading `'` is taken off each guarded cell. */
export const REPORT_ROW_COLUMN = 'onboard_row';
/** A workbook's typed cells, as JSON with a digest of each. */
export const REPORT_TYPED_COLUMN = 'onboard_typed';

/** Dates of which Excel has swapped day and month, as the workbook shows or its report says. */
export function swappedIn({ columns, swapped = [] }: Pick<SourceInfo, 'columns' | 'swapped'>) {
  const names = new Set(columns);
  const isTold = (name: string) => names.has(`${REPORT_COLUMN_PREFIX}swapped ${name}`);
  return columns.flatMap((name, at) => (swapped.includes(at) || isTold(name) ? [at] : []));
}
