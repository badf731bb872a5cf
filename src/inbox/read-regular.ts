import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCode } from '../lib/errors.ts';

const ITSELF = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The text of a small file and when it was written last, without following a link or waiting for a pipe; `null`: it is no file. */
export async function readRegular(
  path: string,
): Promise<{ readonly text: string; readonly mtimeMs: number } | null> {
  const handle = await open(path, ITSELF).catch((error: unknown) => {
    if (['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(errorCode(error))) return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    return stats.isFile() ? { text: await handle.readFile('utf8'), mtimeMs: stats.mtimeMs } : null;
  } finally {
    await handle.close();
  }
}
