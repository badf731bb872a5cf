/**
 * Folders that others may write to: a sender can put a link, a pipe or another file in the place of
 * what was just looked at. Nothing here follows a link below the given folder, waits for a pipe, or
 * overwrites another's file.
 */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { errorCode, hasCode, insteadOf } from '../lib/errors.ts';

const SLASH = Buffer.from('/');
/** Linux: a path through an open folder's number keeps to it, whatever becomes of its name. */
const DESCRIPTORS = '/proc/self/fd';
const hasDescriptors = existsSync(DESCRIPTORS);
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const FOLDER_ITSELF = FOLDER | (constants.O_NOFOLLOW ?? 0);
const FILE_ITSELF = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Something on the way is gone, or is a link or a file by now. */
export const NOT_THERE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/**
 * Works in the folder to which `parts` lead from `root`, none of them a link. `work` gets a path
 * that stays that folder's (on Linux; elsewhere the path as spelled). Throws ENOENT, ELOOP or
 * ENOTDIR.
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

/** `withinFolder` from an open folder. */
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

export function inFolder(folder: Buffer, name: Buffer | string): Buffer {
  return Buffer.concat([folder, SLASH, typeof name === 'string' ? Buffer.from(name) : name]);
}

function pathOf(handle: FileHandle, spelled: Buffer): Buffer {
  return hasDescriptors ? Buffer.from(`${DESCRIPTORS}/${handle.fd}`) : spelled;
}

/** Follows no link (ELOOP), waits for no pipe. */
export function openItself(path: Buffer | string): Promise<FileHandle> {
  return open(path, FILE_ITSELF);
}

/** A small file's text and its last write; `null`: it is no file. */
export async function readRegular(
  path: string,
): Promise<{ readonly text: string; readonly mtimeMs: number } | null> {
  const handle = await openItself(path).catch(insteadOf(['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'], null));
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    return stats.isFile() ? { text: await handle.readFile('utf8'), mtimeMs: stats.mtimeMs } : null;
  } finally {
    await handle.close();
  }
}

/** False: the name is taken. Completes a move that was interrupted. */
export async function moveToFreeName(from: Buffer | string, to: Buffer | string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, 'EEXIST') && !(await isSameFile(from, to))) return false;
    if (hasCode(error, ...NO_LINKS)) return renameToFreeName(from, to);
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  await unlink(from);
  return true;
}

/** The errors of file systems without hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

async function renameToFreeName(from: Buffer | string, to: Buffer | string): Promise<boolean> {
  const isFree = (await lstat(to).catch(insteadOf('ENOENT', null))) === null;
  if (isFree) await rename(from, to);
  return isFree;
}

async function isSameFile(a: Buffer | string, b: Buffer | string): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a), lstat(b)]);
  return one.ino === other.ino && one.dev === other.dev;
}

/**
 * Where taken files of an inbox on another file system lie, by their claims' ids. Whoever may write
 * to the inbox may put anything here: only what a claim in ONBOARD_HOME names is looked at.
 */
export const TAKEN_FOLDER = '.processing';

/** No file can be taken from it; the message says why, and what to do. */
export class UnusableInbox extends Error {}

/** Makes an inbox's folder for taken files. */
export async function prepareTakenFolder(inbox: string): Promise<void> {
  await withinFolder(inbox, [], (root) =>
    mkdir(inFolder(root, TAKEN_FOLDER), { mode: 0o700 }).catch(insteadOf('EEXIST', undefined)),
  );
  await withinTakenFolder(inbox, async () => undefined);
}

/** Only in a real folder of this user's alone; else throws `UnusableInbox`. */
export async function withinTakenFolder<T>(inbox: string, work: (path: Buffer) => Promise<T>): Promise<T> {
  let isOpen = false;
  try {
    return await withinFolder(inbox, [Buffer.from(TAKEN_FOLDER)], async (path) => {
      await checkOwn(path, inbox);
      isOpen = true;
      return work(path);
    });
  } catch (error) {
    if (isOpen) throw error;
    switch (errorCode(error)) {
      case 'ELOOP':
      case 'ENOTDIR':
        throw unusable(inbox, 'is no folder');
      case 'ENOENT':
        throw unusable(inbox, 'is not there');
      default:
        throw error;
    }
  }
}

const OTHER_USERS = 0o077;

async function checkOwn(path: Buffer, inbox: string): Promise<void> {
  const { uid, mode } = await stat(path);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) throw unusable(inbox, `belongs to user ${uid}`);
  if ((mode & OTHER_USERS) !== 0) throw unusable(inbox, 'is open to other users');
}

function unusable(inbox: string, why: string): UnusableInbox {
  return new UnusableInbox(
    `${inbox}/${TAKEN_FOLDER} ${why}: expected a folder that only the user of this program may use; remove it, and it is made again`,
  );
}
