import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { errorCode } from '../lib/errors.ts';
import { stampOf } from '../lib/file-stamp.ts';
import { entryProblem } from './entry.ts';

const ITSELF = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file that is open for reading and what it is, or why it is not to be read. */
export type Opened =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly stamp: string }
  | { readonly kind: 'refused'; readonly why: string };

const SWAPPED = 'another file was put in its place while it was taken';

/**
 * Opens a claimed file without following a link or waiting for a pipe, and makes sure by the descriptor that it is the one that
 * lies at that name: a regular file with no other name. The caller closes it.
 */
export async function openClaimed(path: Buffer | string): Promise<Opened> {
  const named = await lstat(path, { bigint: true });
  const handle = await open(path, ITSELF).catch(whyNot);
  if (typeof handle === 'string') return { kind: 'refused', why: handle };
  const stats = await handle.stat({ bigint: true });
  const isSame = stats.dev === named.dev && stats.ino === named.ino;
  const kind = stats.isFile() ? 'file' : 'other';
  const why = entryProblem({ name: Buffer.from('a'), kind, links: Number(stats.nlink) });
  if (why === null && isSame) {
    return { kind: 'open', handle, stamp: stampOf(stats) };
  }
  await handle.close();
  return { kind: 'refused', why: why ?? SWAPPED };
}

/** In words for the file's sender; other trouble is the machine's and thrown. */
function whyNot(error: unknown): string {
  switch (errorCode(error)) {
    case 'ELOOP':
    case 'EMLINK':
      return 'it is a symbolic link, and links are not followed';
    case 'ENXIO':
    case 'EISDIR':
      return 'it is no regular file';
    case 'EACCES':
      return 'this program may not read it: expected read permission for the user it runs as';
    default:
      throw error;
  }
}
