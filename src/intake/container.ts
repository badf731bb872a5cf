/**
 * What a file is wrapped in: nothing, gzip or an Excel workbook, by its first bytes, not its name.
 * Other formats that partners send by mistake are refused with advice; so is a gzip file that
 * expands too far, before it fills disk or memory.
 */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Format } from '../config/job-definition.ts';
import { errorCode } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { tap } from './file.ts';

export type Container = 'plain' | 'gzip' | 'workbook';

/** As many as the longest signature has. */
export const SIGNATURE_BYTES = 10;

/** UsageError where the file's name or `format.type` contradicts its first bytes. */
export function containerOf(start: Buffer, path: string, format: Format): Container {
  const hex = start.toString('hex');
  if (hex.startsWith(ZIP) && isWorkbook(path, format)) return 'workbook';
  refuseKnown(hex, path);
  // Reports of a workbook's run are CSV; only the header shows whether the file is one.
  if (isWorkbook(path, format) && !isCsv(path)) throw noWorkbook(path);
  if (hex.startsWith(GZIP)) return 'gzip';
  if (!/\.gz$/i.test(path)) return 'plain';
  throw new UsageError(
    `${path}: is not compressed, as its name says: expected a gzip file; transfer it again, or take .gz off its name`,
  );
}

function isWorkbook(path: string, { type }: Format): boolean {
  return type === 'xlsx' || (type === 'auto' && /\.(xlsx|xlsm|xlsb|xltx|xls|ods)$/i.test(path));
}

function isCsv(path: string): boolean {
  return path.toLowerCase().endsWith('.csv');
}

export function noWorkbook(path: string): UsageError {
  return new UsageError(
    `${path}: is no Excel workbook: expected one, by its name or format.type; save it again as .xlsx, or if it is CSV, name it .csv`,
  );
}

export function refuseNested(start: Buffer, path: string): void {
  const hex = start.toString('hex');
  if (hex.startsWith(GZIP)) {
    throw new UsageError(`${path}: is compressed twice: expected once; unpack it first`);
  }
  refuseKnown(hex, path);
}

function refuseKnown(hex: string, path: string): void {
  const known = KNOWN.find(([start]) => hex.startsWith(start));
  if (known === undefined || (known[0] === BZIP2 && !hex.slice(8).startsWith(BZIP2_BLOCK))) return;
  throw new UsageError(`${path}: ${known[1]}`);
}

const GZIP = '1f8b';
const ZIP = '504b0304';

/** "BZh" may begin a text too, so the bytes after it are compared as well. */
const BZIP2 = '425a68';
const BZIP2_BLOCK = '314159265359';

const WEB_PAGE =
  'is a web page, perhaps one that asks to log in or a table that was saved as .xls: export the data as CSV or .xlsx';

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
  [BZIP2, packedBy('bzip2')],
  ['fd377a585a00', packedBy('xz')],
  ['28b52ffd', packedBy('zstd')],
  ['377abcaf271c', archive('7z')],
  ['526172211a07', archive('RAR')],
  ...['<!DOCTYPE', '<!doctype', '<html', '<HTML', '<table'].map((text) => [hexOf(text), WEB_PAGE] as const),
  [hexOf('<?xml'), 'is XML: export the data as CSV, JSON or .xlsx'],
];

function packedBy(what: string): string {
  return `is compressed with ${what}: unpack it, or compress it with gzip`;
}

function archive(kind: string): string {
  return `is a ${kind} archive: unpack it and give the file in it`;
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

export function unpack(bytes: AsyncGenerator<Buffer>, container: Container, path: string) {
  return container === 'gzip' ? gunzip(bytes, path) : bytes;
}

/** RFC 1952. UsageError where the file is not whole, or expands too far. */
export async function* gunzip(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  maxBytes = MAX_BYTES,
): AsyncGenerator<Buffer, void, undefined> {
  const unpacker = createGunzip({ chunkSize: CHUNK_BYTES });
  let read = 0;
  let written = 0;
  const counted = tap(bytes, (block) => {
    read += block.length;
  });
  // The loop below gets the same error from the unpacker.
  pipeline(counted, unpacker).catch(() => {});
  try {
    for await (const block of unpacker) {
      written += block.length;
      if (written > maxBytes) throw tooLarge(path, maxBytes);
      yield block;
    }
    if (unpacker.bytesWritten !== read) throw broken(path, 'it goes on after its end');
  } catch (error) {
    throw explainGzip(path, error);
  } finally {
    unpacker.destroy();
    await bytes.return(undefined);
  }
}

const MAX_BYTES = 8 * 1024 ** 3;
const CHUNK_BYTES = 256 * 1024;

function tooLarge(path: string, maxBytes: number): UsageError {
  return new UsageError(
    `${path}: expands to more than ${maxBytes} bytes: expected a file of data; if it is one, unpack it and give the unpacked file`,
  );
}

const EXPLAINED_GZIP: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'it is cut off',
  Z_DATA_ERROR: 'a part of it is damaged, or something else follows it',
};

function explainGzip(path: string, error: unknown): unknown {
  const explained = EXPLAINED_GZIP[errorCode(error)];
  return explained === undefined ? error : broken(path, explained, error);
}

function broken(path: string, what: string, cause?: unknown): UsageError {
  return new UsageError(
    `${path}: is no whole gzip file: ${what}; transfer it again, or compress it again`,
    cause === undefined ? {} : { cause },
  );
}
