import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';

/** What a file's text or table is wrapped in. */
export type Container = 'plain' | 'gzip' | 'workbook';

/** As many bytes as the longest signature has. */
export const SIGNATURE_BYTES = 10;

/** Told by the file's first bytes, whatever its name; UsageError where they and the name or `format.type` don't go together. */
export function containerOf(start: Buffer, path: string, format: Format): Container {
  const hex = start.toString('hex');
  if (hex.startsWith(ZIP) && isWorkbook(path, format)) return 'workbook';
  refuseKnown(hex, path);
  // A workbook's own report files are CSV; whether it is one shows in its header.
  if (isWorkbook(path, format) && !isCsv(path)) throw noWorkbook(path);
  if (hex.startsWith(GZIP)) return 'gzip';
  if (!/\.gz$/i.test(path)) return 'plain';
  throw new UsageError(
    `${path}: is not compressed, as its name says: expected a gzip file; transfer it again, or take .gz off its name`,
  );
}

/** The file should be a workbook by its name or by the job definition, and isn't. */
export function noWorkbook(path: string): UsageError {
  return new UsageError(
    `${path}: is no Excel workbook: expected one, by its name or format.type; save it again as .xlsx, or if it is CSV, name it .csv`,
  );
}

function isCsv(path: string): boolean {
  return path.toLowerCase().endsWith('.csv');
}

/** Refuses what a compressed file must not hold. */
export function refuseNested(start: Buffer, path: string): void {
  const hex = start.toString('hex');
  if (hex.startsWith(GZIP)) {
    throw new UsageError(`${path}: is compressed twice: expected once; unpack it first`);
  }
  refuseKnown(hex, path);
}

const GZIP = '1f8b';
const ZIP = '504b0304';
/** The file formats that partners send by mistake, by their first bytes. */
const KNOWN: readonly (readonly [start: string, problem: string])[] = [
  [
    ZIP,
    'is a zip archive or an Excel workbook: unpack an archive and give the file in it; a workbook needs a name that ends in .xlsx, and no other format.type',
  ],
  ['504b0506', 'is an empty zip archive: export the data again'],
  [
    'd0cf11e0a1b11ae1',
    'is an old Excel file (.xls) or a workbook with a password: save it as .xlsx without a password, or as "CSV UTF-8"',
  ],
  ['255044462d', 'is a PDF: export the data as CSV or .xlsx'],
  ['425a68', 'is compressed with bzip2: unpack it, or compress it with gzip'],
  ['fd377a585a00', 'is compressed with xz: unpack it, or compress it with gzip'],
  ['28b52ffd', 'is compressed with zstd: unpack it, or compress it with gzip'],
  ['377abcaf271c', 'is a 7z archive: unpack it and give the file in it'],
  ['526172211a07', 'is a RAR archive: unpack it and give the file in it'],
];

function refuseKnown(hex: string, path: string): void {
  const known = KNOWN.find(([start]) => hex.startsWith(start));
  if (known === undefined || (known[0] === BZIP2 && !hex.slice(8).startsWith(BZIP2_BLOCK))) return;
  throw new UsageError(`${path}: ${known[1]}`);
}

/** "BZh" may begin a text, so what follows it counts too. */
const BZIP2 = '425a68';
const BZIP2_BLOCK = '314159265359';

function isWorkbook(path: string, { type }: Format): boolean {
  return type === 'xlsx' || (type === 'auto' && /\.(xlsx|xlsm|xlsb|xltx|xls|ods)$/i.test(path));
}
