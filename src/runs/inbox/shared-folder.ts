/**
 * Folders that others may write to: a sender can put something else in the place of what was just
 * looked at. Nothing here follows a link, waits for a pipe, or overwrites another's file.
 */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { hasCode, insteadOf } from '../../lib/errors.ts';
import { OTHERS_MAY_ANYTHING, ownerProblem } from '../../lib/make-folder.ts';

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
 * that stays that folder's (on Linux; elsewhere the path as spelled). Throws `NOT_THERE`.
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

/** False: the name is taken. Completes a move that was interrupted. */
export async function moveToFreeName(from: Buffer, to: Buffer): Promise<boolean> {
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

const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

async function renameToFreeName(from: Buffer, to: Buffer): Promise<boolean> {
  const isFree = (await lstat(to).catch(insteadOf('ENOENT', null))) === null;
  if (isFree) await rename(from, to);
  return isFree;
}

async function isSameFile(a: Buffer, b: Buffer): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a), lstat(b)]);
  return one.ino === other.ino && one.dev === other.dev;
}

/** An inbox's folder for claims, within its own file system. */
export const PROCESSING = '.processing';

export async function makeProcessing(inbox: string): Promise<void> {
  await withinFolder(inbox, [], (root) =>
    mkdir(inFolder(root, PROCESSING), { mode: 0o700 }).catch(insteadOf('EEXIST', undefined)),
  );
}

/**
 * `withinFolder` below an inbox's folder for claims. Throws unless that is a folder of this user's
 * alone: whoever else could write there could have any file sent.
 */
export async function withinProcessing<T>(
  inbox: string,
  parts: readonly Buffer[],
  work: (path: Buffer) => Promise<T>,
): Promise<T> {
  const stats = await withinFolder(inbox, [], (root) => lstat(inFolder(root, PROCESSING)));
  if (!stats.isDirectory()) throw unusable(inbox, 'is no folder');
  return withinFolder(inbox, [Buffer.from(PROCESSING)], async (path) => {
    const problem = ownerProblem(await stat(path), OTHERS_MAY_ANYTHING);
    if (problem !== null) throw unusable(inbox, problem);
    return descend(path, parts, work);
  });
}

function unusable(inbox: string, why: string): Error {
  return new Error(
    `${inbox}/${PROCESSING} ${why}: expected a folder of this user alone; remove it, and it is made anew`,
  );
}
