/**
 * Folders and files for their owner alone. `mkdir` with `recursive` never ends in a folder that
 * takes no other, such as /proc.
 */
import type { Stats } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, messageOf } from './errors.ts';

/** With its missing parents; an existing one stays as it is. */
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

/** A new file for its owner alone, on disk when this resolves. */
export async function writeDurably(
  path: Buffer | string,
  content: string | AsyncIterable<Buffer>,
  flags = 'wx',
): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    const blocks = typeof content === 'string' ? [content] : content;
    for await (const block of blocks) await handle.writeFile(block);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** All that was made, renamed or removed in it is on disk then; of a file, what was written. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (cause) {
    throw new Error(`${messageOf(cause)}: the file system of ${path} did not sync it`, { cause });
  } finally {
    await handle.close();
  }
}

export const OTHERS_MAY_ANYTHING = 0o077;

/** `null`: it is this user's alone. */
export function ownerProblem({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, forbidden: number): string | null {
  if (process.getuid === undefined) return null;
  if (uid !== process.getuid()) return `belongs to user ${uid}`;
  return (mode & forbidden) === 0 ? null : 'is open to other users';
}
