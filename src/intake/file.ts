/**
 * The bytes of a regular file; whatever else a path leads to is refused with advice.
 * lib/file-stamp.ts tells whether a file is still the one that was looked at.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode, hasCode } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';

/** Block by block; UsageError where the file can't be opened. Closes it when the consumer stops. */
export async function* fileBytes(path: string): AsyncGenerator<Buffer, void, undefined> {
  const handle = await openRegular(path);
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(BLOCK_BYTES), 0, BLOCK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

const BLOCK_BYTES = 256 * 1024;

export async function* tap(
  blocks: AsyncIterable<Buffer>,
  see: (block: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    see(block);
    yield block;
  }
}

/** `start`: the first `length` bytes, fewer where there are no more. `all`: all bytes. */
export async function peek(
  bytes: AsyncGenerator<Buffer>,
  length: number,
): Promise<{ readonly start: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const blocks: Buffer[] = [];
  let held = 0;
  while (held < length) {
    const next = await bytes.next();
    if (next.done) break;
    blocks.push(next.value);
    held += next.value.length;
  }
  return { start: Buffer.concat(blocks).subarray(0, length), all: after(blocks, bytes) };
}

async function* after(blocks: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* blocks;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** UsageError where there is no regular file. */
export async function openRegular(path: string): Promise<FileHandle> {
  const handle = await openAny(path);
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw notRegular(path, stats.isDirectory() ? 'a directory' : 'no regular file');
}

async function openAny(path: string): Promise<FileHandle> {
  try {
    // O_NONBLOCK: else opening a FIFO waits for a writer for ever. Windows has neither.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw explain(path, error);
  }
}

const EXPLAINED: Readonly<Record<string, string>> = {
  ENOENT:
    'there is no such file: expected the path of a CSV, JSON or Excel file; check the spelling and the folder',
  ENOTDIR: 'there is no such file: a part of the path is not a folder; check the spelling',
  EACCES: 'may not be read by this user: expected read permission; change it with chmod or run as its owner',
  ENXIO: 'is no regular file: expected a CSV, JSON or Excel file; copy its content into one',
};

function explain(path: string, error: unknown): unknown {
  if (hasCode(error, 'EISDIR')) return notRegular(path, 'a directory');
  const explained = EXPLAINED[errorCode(error)];
  return explained === undefined ? error : new UsageError(`${path}: ${explained}`, { cause: error });
}

function notRegular(path: string, what: string): UsageError {
  return new UsageError(`${path}: is ${what}: expected a CSV, JSON or Excel file; name the file itself`);
}
