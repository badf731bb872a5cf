/** The bytes of a regular file; whatever else a path leads to is refused with advice. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import { passStep } from '../../lib/steps.ts';
import { UsageError } from '../../lib/usage-error.ts';

/**
 * Block by block; UsageError where the file can't be opened. Closes it when the consumer stops.
 * `room`: filled anew with each block, for a consumer that keeps none; left out: each has its own.
 */
export async function* fileBytes(path: string, room?: Buffer): AsyncGenerator<Buffer, void, undefined> {
  const handle = await openRegular(path);
  const { size: all } = await handle.stat();
  const doing = `reading ${basename(path)}`;
  let done = 0;
  try {
    for (;;) {
      const block = room ?? Buffer.allocUnsafe(BLOCK_BYTES);
      const { bytesRead, buffer } = await handle.read(block, 0, block.length, null);
      if (bytesRead === 0) return;
      done += bytesRead;
      passStep({ doing, done, all });
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    passStep({ doing, done: all, all });
    await handle.close();
  }
}

/** Few enough rows that most of them are gone before garbage is collected. */
export const BLOCK_BYTES = 64 * 1024;

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

export async function openRegular(path: string): Promise<FileHandle> {
  if (path === '-') throw new UsageError(NO_INPUT);
  const handle = await openAny(path);
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw new UsageError(`${path}: ${stats.isDirectory() ? DIRECTORY : NO_FILE}`);
}

async function openAny(path: string): Promise<FileHandle> {
  try {
    // O_NONBLOCK: else opening a FIFO waits for a writer for ever. Windows has neither.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw explain(path, error);
  }
}

const DIRECTORY = 'is a directory: expected a CSV, JSON or Excel file; name the file itself';
const NO_FILE = 'is no regular file: expected a CSV, JSON or Excel file; copy its content into one';
const NO_INPUT = '-: standard input is not read: expected a file; write the data into one first';
const MISSING = 'there is no such file: check the spelling and the folder';

const EXPLAINED: Readonly<Record<string, string>> = {
  ENOENT: MISSING,
  ENOTDIR: MISSING,
  EACCES: 'may not be read by this user: expected read permission; change it with chmod or run as its owner',
  ENXIO: NO_FILE,
  EISDIR: DIRECTORY,
};

function explain(path: string, error: unknown): unknown {
  const explained = EXPLAINED[errorCode(error)];
  return explained === undefined ? error : new UsageError(`${path}: ${explained}`, { cause: error });
}
