/**
 * Makes a folder and its missing parents, for their owner alone; an existing one stays as it is.
 * Throws the file system's error. `mkdir` with `recursive` never ends in a folder that takes no
 * other, such as /proc.
 */
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from './errors.ts';

export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Resolves when all that was made, renamed or removed in the folder is on disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
