import { constants, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const SLASH = Buffer.from('/');
/** Where the system shows open files by number, a path through one leads to that very folder, whatever became of its name. */
const DESCRIPTORS = '/proc/self/fd';
const hasDescriptors = existsSync(DESCRIPTORS);
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const FOLDER_ITSELF = FOLDER | (constants.O_NOFOLLOW ?? 0);

/**
 * Does something in the folder that `parts` lead to from `root`, none of them a symbolic link, and hands it a path that stays
 * that folder's while it works (Linux; elsewhere the path as it is spelled). Throws what opening says: ENOENT, ELOOP, ENOTDIR.
 */
export async function withinFolder<T>(
  root: string,
  parts: readonly Buffer[],
  work: (path: Buffer) => Promise<T>,
): Promise<T> {
  const handle = await open(root, FOLDER);
  try {
    return await descend(pathOf(handle, Buffer.from(root)), parts, work);
  } finally {
    await handle.close();
  }
}

/** The same for a folder below one that is open already. */
export async function descend<T>(
  path: Buffer,
  parts: readonly Buffer[],
  work: (path: Buffer) => Promise<T>,
): Promise<T> {
  const [next, ...rest] = parts;
  if (next === undefined) return work(path);
  const below = inFolder(path, next);
  const handle = await open(below, FOLDER_ITSELF);
  try {
    return await descend(pathOf(handle, below), rest, work);
  } finally {
    await handle.close();
  }
}

/** The path of a name in a folder. */
export function inFolder(folder: Buffer, name: Buffer | string): Buffer {
  return Buffer.concat([folder, SLASH, typeof name === 'string' ? Buffer.from(name) : name]);
}

function pathOf(handle: FileHandle, spelled: Buffer): Buffer {
  return hasDescriptors ? Buffer.from(`${DESCRIPTORS}/${handle.fd}`) : spelled;
}
