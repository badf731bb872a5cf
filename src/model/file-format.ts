/**
 * The formats of files: what each is called, by which endings it is known, what it holds. A new
 * one has its entries here, a folder in readers/intake, and its lines in readers/intake/rows.ts.
 */

type FormatSpec = {
  readonly name: string;
  /** The first is written. */
  readonly endings: readonly string[];
  /** How it is looked at: lines of text, a workbook, JSON. */
  readonly kind: 'text' | 'workbook' | 'json';
};

export const FILE_TYPES = ['csv', 'json', 'ndjson', 'xlsx'] as const;
type FileFormat = (typeof FILE_TYPES)[number];

export const FILE_FORMATS: Readonly<Record<FileFormat, FormatSpec>> = {
  csv: { name: 'CSV', endings: ['csv', 'tsv'], kind: 'text' },
  json: { name: 'JSON (one list)', endings: ['json'], kind: 'json' },
  ndjson: { name: 'NDJSON (one object after the other)', endings: ['ndjson', 'jsonl'], kind: 'json' },
  xlsx: { name: 'Excel workbook', endings: ['xlsx'], kind: 'workbook' },
};

/** By its name, whatever it holds; `null`: by no ending of ours. */
export function formatNamed(file: string): FileFormat | null {
  const name = file.toLowerCase().replace(/\.gz$/, '');
  const isOf = (type: FileFormat) => FILE_FORMATS[type].endings.some((ending) => name.endsWith(`.${ending}`));
  return FILE_TYPES.find(isOf) ?? null;
}

const ENDINGS = [...FILE_TYPES.flatMap((type) => FILE_FORMATS[type].endings), 'txt'].join('|');
const DATA_ENDING = new RegExp(`(?:\\.(?:${ENDINGS}))?(?:\\.gz)?$`, 'i');

/** With its dots, `''`: the name has none of ours. */
export function dataEnding(file: string): string {
  return DATA_ENDING.exec(file)?.[0] ?? '';
}
