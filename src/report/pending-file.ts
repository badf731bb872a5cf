import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const BUFFER_CHARACTERS = 65_536;
const SUFFIX = '.tmp';

/** A file that is seen under its name only once it is whole. */
export type PendingFile = {
  /** Resolves when more may be given: at most 64 Ki characters and the text itself wait in memory. */
  append(text: string): Promise<void>;
  /** Everything is on the disk; nothing can be appended any more. */
  seal(): Promise<void>;
  /** Takes its name, and the place of an older file of that name; only after `seal`. */
  publish(): Promise<void>;
  /** Removes what was not published; safe to call at any time. */
  discard(): Promise<void>;
};

/** Opens a file for its owner alone, under a temporary name in the same directory. */
export async function openPendingFile(directory: string, name: string): Promise<PendingFile> {
  const temporary = join(directory, `.${name}.${randomBytes(6).toString('hex')}${SUFFIX}`);
  const handle = await open(temporary, 'wx', 0o600);
  let buffered = '';
  const flush = async () => {
    const text = buffered;
    buffered = '';
    if (text !== '') await handle.appendFile(text, 'utf8');
  };
  return {
    append: async (text) => {
      buffered += text;
      if (buffered.length >= BUFFER_CHARACTERS) await flush();
    },
    seal: async () => {
      await flush();
      await handle.sync();
      await handle.close();
    },
    publish: () => rename(temporary, join(directory, name)),
    discard: async () => {
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

/** Whether a file of that name is an unfinished one of this module's. */
export function isTemporaryName(fileName: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.tmp$/.test(fileName);
}
