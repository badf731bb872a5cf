/**
 * What a file is wrapped in, by its first bytes, not its name. Other formats that partners send by
 * mistake are refused with advice; so is a gzip file that expands too far.
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
export function containerOf(start: Buffer, path: string, { type }: Format): Container {
  const text = start.toString('latin1');
  const isNamed = type === 'auto' && /\.(xlsx|xlsm|xlsb|xltx|xls|ods)$/i.test(path);
  const isWorkbook = type === 'xlsx' || isNamed;
  if (isWorkbook && text.startsWith(ZIP)) return 'workbook';
  refuseKnown(text, path);
  // Reports of a workbook's run are CSV; only the header shows whether the file is one.
  if (isWorkbook && !/\.csv$/i.test(path)) throw noWorkbook(path);
  if (text.startsWith(GZIP)) return 'gzip';
  if (!/\.gz$/i.test(path)) return 'plain';
  throw new UsageError(
    `${path}: is not compressed, as its name says: expected a gzip file; transfer it again, or take .gz off its name`,
  );
}

export function noWorkbook(path: string): UsageError {
  return new UsageError(
    `${path}: is no Excel workbook: expected one, by its name or format.type; save it again as .xlsx, or if it is CSV, name it .csv`,
  );
}

export function refuseNested(start: Buffer, path: string): void {
  const text = start.toString('latin1');
  if (text.startsWith(GZIP)) {
    throw new UsageError(`${path}: is compressed twice: expected once; unpack it first`);
  }
  refuseKnown(text, path);
}

function refuseKnown(text: string, path: string): void {
  const known = KNOWN.find(({ starts }) => starts.some((start) => text.startsWith(start)));
  if (known !== undefined) throw new UsageError(`${path}: ${known.problem}`);
}

const GZIP = '\x1f\x8b';
const ZIP = 'PK\x03\x04';

/** The first characters, in Latin-1. */
const KNOWN: readonly { readonly starts: readonly string[]; readonly problem: string }[] = [
  {
    starts: [ZIP],
    problem:
      'is a zip archive or an Excel workbook: unpack an archive; name a workbook .xlsx, without another format.type',
  },
  { starts: ['PK\x05\x06'], problem: 'is an empty zip archive: export the data again' },
  {
    starts: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    problem:
      'is an old Excel file (.xls) or a workbook with a password: save it as .xlsx without a password, or as "CSV UTF-8"',
  },
  { starts: ['%PDF-'], problem: 'is a PDF: export the data as CSV or .xlsx' },
  {
    // bzip2 (its "BZh" alone may begin a text), xz, zstd, 7z, RAR.
    starts: [
      ...[...'123456789'].map((level) => `BZh${level}1AY&SY`),
      '\xfd7zXZ\0',
      '\x28\xb5\x2f\xfd',
      "7z\xbc\xaf'\x1c",
      'Rar!\x1a\x07',
    ],
    problem: 'is compressed, but not with gzip: unpack it and give the file in it',
  },
  {
    starts: ['<!DOCTYPE', '<!doctype', '<html', '<HTML', '<table'],
    problem: 'is a web page, or a table saved as .xls: export the data as CSV or .xlsx',
  },
  { starts: ['<?xml'], problem: 'is XML: export the data as CSV, JSON or .xlsx' },
];

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
    `${path}: expands to more than ${maxBytes} bytes: expected a file of data; if it is one, unpack it`,
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
