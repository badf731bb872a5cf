/**
 * What a file is wrapped in, by its first bytes, not its name. Other formats that partners send by
 * mistake are refused with advice; so is a gzip file that expands too far.
 */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Format } from '../../config/job-definition.ts';
import { errorCode } from '../../lib/errors.ts';
import { UsageError } from '../../lib/usage-error.ts';
import KNOWN from './data/containers.json' with { type: 'json' };
import { tap } from './file.ts';

type Container = 'plain' | 'gzip' | 'zip' | 'workbook';

/** As many as the longest signature has. */
export const SIGNATURE_BYTES = 80;

/** UsageError where the file's name or `format.type` contradicts its first bytes. */
export function containerOf(start: Buffer, path: string, { type }: Format): Container {
  const text = start.toString('latin1');
  const isNamed = type === 'auto' && /\.(xlsx|xlsm|xlsb|xltx|xls|ods)$/i.test(path);
  const isWorkbook = type === 'xlsx' || isNamed;
  if (text.startsWith(ZIP)) return isWorkbook ? 'workbook' : 'zip';
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
    `${path}: is no Excel workbook: expected one, by its name or ` +
      'format.type; save it again as .xlsx, or if it is CSV, name it .csv',
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
  const shown = XML_NAME.test(path) ? '<?xml' : text.replaceAll(BEFORE, '').trimStart();
  const known = KNOWN.find(({ starts }) => starts.some((start) => shown.startsWith(start)));
  if (known !== undefined) throw new UsageError(`${path}: ${known.problem}`);
}

/** Before the first letter: a mark, and half of each letter of UTF-16. */
const BEFORE = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)|\0/g;
const XML_NAME = /\.xml(?:\.gz)?$/i;
const GZIP = '\x1f\x8b';
const ZIP = 'PK\x03\x04';

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
