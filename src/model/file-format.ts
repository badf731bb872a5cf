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

export const FILE_FORMATS = {
  csv: { name: 'CSV', endings: ['csv', 'tsv'], kind: 'text' },
  json: { name: 'JSON (one list)', endings: ['json'], kind: 'json' },
  ndjson: { name: 'NDJSON (one object after the other)', endings: ['ndjson', 'jsonl'], kind: 'json' },
  xlsx: { name: 'Excel workbook', endings: ['xlsx'], kind: 'workbook' },
} as const satisfies Readonly<Record<string, FormatSpec>>;

type FileFormat = keyof typeof FILE_FORMATS;

export const FILE_TYPES = ['csv', 'json', 'ndjson', 'xlsx'] as const satisfies readonly FileFormat[];

/** By its name, whatever it holds; `null`: by no ending of ours. */
export function formatNamed(file: string): FileFormat | null {
  const name = file.toLowerCase().replace(/\.gz$/, '');
  return FILE_TYPES.find((type) => endingsOf(type).some((ending) => name.endsWith(`.${ending}`))) ?? null;
}

function endingsOf(type: FileFormat): readonly string[] {
  return FILE_FORMATS[type].endings;
}

const ENDINGS = [...FILE_TYPES.flatMap(endingsOf), 'txt'].join('|');
const DATA_ENDING = new RegExp(`(?:\\.(?:${ENDINGS}))?(?:\\.gz)?$`, 'i');

/** With its dots, `''`: the name has none of ours. */
export function dataEnding(file: string): string {
  return DATA_ENDING.exec(file)?.[0] ?? '';
}
