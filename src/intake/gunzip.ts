import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../lib/usage-error.ts';

/** How far a file may expand: `maxBytes` in all, and `maxRatio` times what was read of it once `freeBytes` are exceeded. */
export type GunzipLimits = {
  readonly maxBytes: number;
  readonly maxRatio: number;
  readonly freeBytes: number;
};

const LIMITS: GunzipLimits = { maxBytes: 8 * 1024 ** 3, maxRatio: 200, freeBytes: 64 * 1024 ** 2 };

/** The bytes of a gzip file (RFC 1952), of one member or several; UsageError where it is broken, cut off, goes on after its end, or expands too far. */
export async function* gunzip(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  limits: GunzipLimits = LIMITS,
): AsyncGenerator<Buffer, void, undefined> {
  const unpacker = createGunzip({ chunkSize: CHUNK_BYTES });
  let read = 0;
  let written = 0;
  const feeding = pipeline(
    Readable.from(
      count(bytes, (length) => {
        read += length;
      }),
      { objectMode: true, highWaterMark: 1 },
    ),
    unpacker,
  );
  // Told by the unpacker too, which is what is waited for.
  feeding.catch(() => {});
  try {
    for await (const block of unpacker) {
      written += block.length;
      checkExpansion(path, { read, written }, limits);
      yield block;
    }
    if (unpacker.bytesWritten !== read) throw broken(path, 'it goes on after its end');
  } catch (error) {
    throw explain(path, error);
  } finally {
    unpacker.destroy();
    await bytes.return(undefined);
  }
}

const CHUNK_BYTES = 256 * 1024;

async function* count(bytes: AsyncIterable<Buffer>, add: (length: number) => void): AsyncGenerator<Buffer> {
  for await (const block of bytes) {
    add(block.length);
    yield block;
  }
}

function checkExpansion(path: string, size: { read: number; written: number }, limits: GunzipLimits): void {
  const { maxBytes, maxRatio, freeBytes } = limits;
  if (size.written > maxBytes) throw tooLarge(path, `more than ${maxBytes} bytes`);
  if (size.written > freeBytes && size.written > maxRatio * size.read) {
    throw tooLarge(path, `more than ${maxRatio} times its size`);
  }
}

function tooLarge(path: string, size: string): UsageError {
  return new UsageError(
    `${path}: expands to ${size}: expected a file of data; if it is one, unpack it and give the unpacked file`,
  );
}

const EXPLAINED: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'it is cut off',
  Z_DATA_ERROR: 'a part of it is damaged, or something else follows it',
};

function explain(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const explained = EXPLAINED[String(error.code)];
  return explained === undefined ? error : broken(path, explained, error);
}

function broken(path: string, what: string, cause?: Error): UsageError {
  return new UsageError(
    `${path}: is no whole gzip file: ${what}; transfer it again, or compress it again`,
    cause === undefined ? {} : { cause },
  );
}
