/**
 * Sources: how a file was understood, what one reading of the whole file found out, and what report
 * files add to records.
 */
import { z } from 'zod';

/** A name that iconv-lite knows; of Unicode only `utf-8`, `utf-16le`, `utf-16be`. */
export type Encoding = string;

/** Encodings of files, to choose from; the likeliest first. */
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

/** `columns`: the header of a table, or every field path met in the JSON records. */
export const sourceInfoSchema = z.object({
  type: z.enum(['csv', 'json', 'ndjson', 'xlsx']),
  encoding: z.string(),
  bom: z.boolean(),
  compression: z.enum(['none', 'gzip']),
  headerLine: z.number().int().positive(),
  sheet: z.string().nullable(),
  /** JSON pointers to lists of objects in a file that is one: the records may be there. */
  recordLists: z.array(z.string()).optional(),
  /** What the reader had to decide on thin evidence, in words for people; no cell values. */
  notes: z.array(z.string()),
  delimiter: z.string().nullable(),
  quote: z.string().nullable(),
  columns: z.array(z.string()),
});
export type SourceInfo = z.infer<typeof sourceInfoSchema>;

/** Whether the rows are cells under a header, not JSON records. */
export function isTable({ type }: Pick<SourceInfo, 'type'>): boolean {
  return type === 'csv' || type === 'xlsx';
}

export function sourceWords(
  source: Omit<SourceInfo, 'bom' | 'quote' | 'columns' | 'notes'> & { readonly bom?: boolean },
): string {
  const { type, encoding, bom = false, compression, delimiter, sheet, headerLine } = source;
  const isWorkbook = type === 'xlsx';
  return [
    isWorkbook ? 'Excel workbook' : type.toUpperCase(),
    ...(compression === 'none' ? [] : [compression]),
    ...(isWorkbook ? [] : [encoding + (bom ? ' with a byte order mark' : '')]),
    ...(delimiter === null ? [] : [`delimiter ${JSON.stringify(delimiter)}`]),
    ...(sheet === null ? [] : [`sheet ${JSON.stringify(sheet)}`]),
    ...(headerLine === 1 ? [] : [`header on line ${headerLine}`]),
  ].join(', ');
}

/** What one reading of a whole file found out, before anything is sent. */
export type FileFacts = {
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
  readonly source: SourceInfo;
  /** Where the job groups rows: the number of rows up to the end of each chunk. */
  readonly chunkEnds: number[] | null;
  /** Inode, size and time of change: whether it is still the same file, untouched. */
  readonly stamp: string;
};

/** Columns that a report file adds; they are ignored when it is loaded again. */
export const REPORT_COLUMN_PREFIX = 'onboard_';
/** The member that a report file adds to a JSON record; ignored when it is loaded again. */
export const REPORT_MEMBER = '_onboard';
/** In failed.csv: the text of a row that could not be read, as it stood in the file. */
export const REPORT_TEXT_COLUMN = 'onboard_text';
/** In a file with it one leading `'` is taken off each guarded cell. */
export const REPORT_ROW_COLUMN = 'onboard_row';
/** Which cells of a workbook are typed, as JSON with a digest of each cell. */
export const REPORT_TYPED_COLUMN = 'onboard_typed';
