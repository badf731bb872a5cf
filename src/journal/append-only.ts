/** A file of whole groups of lines, each on disk before it is acknowledged. */

import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, messageOf } from '../lib/errors.ts';
import { syncFolder } from './folder.ts';

type AppendOnly = {
  /**
   * Resolves when the text is on disk; after a rejection nothing of it counts. A failure that can't
   * be taken back refuses every later text too.
   */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** One call for a write and its sync. Not every system has it. */
const { O_DSYNC = 0, O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** The first text makes the file, durably, for its owner alone; one call of `append` at a time. */
export function openAppendOnly(path: string): AppendOnly {
  let handle: FileHandle | null = null;
  let size = 0;
  let broken: Error | null = null;

  const write = async (file: FileHandle, bytes: Buffer) => {
    try {
      await file.appendFile(bytes);
      if (O_DSYNC === 0) await file.datasync();
      size += bytes.length;
    } catch (error) {
      const problem = problemOf(error);
      const isBack = await file.truncate(size).then(
        () => true,
        () => false,
      );
      // After a failed sync unwritten pages may count as written; only a full disk took nothing.
      if (!isBack || !hasCode(error, ...FULL)) broken = problem;
      throw problem;
    }
  };
  const problemOf = (error: unknown) =>
    new Error(`${path} could not be written: ${messageOf(error)}`, { cause: error });

  return {
    async append(text) {
      if (broken !== null) throw broken;
      handle ??= await create(path).catch((error: unknown) => {
        throw problemOf(error);
      });
      await write(handle, Buffer.from(text));
    },
    async close() {
      await handle?.close();
      handle = null;
    },
  };
}

async function create(path: string): Promise<FileHandle> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_DSYNC, 0o600);
  try {
    await syncFolder(dirname(path));
    return handle;
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
}
