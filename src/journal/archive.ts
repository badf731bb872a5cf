import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { syncFolder } from './folder.ts';
import { segmentName } from './segment-file.ts';

/** The fastest: the text is highly repetitive, and the process has rows to send. */
const GZIP = { level: 1 };

/**
 * Puts a full segment, compressed, in its own place: durable under its name before the raw lines go. The lines stay as
 * they are: what they come down to is worked out by the replay, which is rare, and not while rows are sent.
 */
export async function archiveSegment(folder: string, number: number): Promise<void> {
  const raw = join(folder, segmentName(number, 'log'));
  const archive = join(folder, segmentName(number, 'gz'));
  const temporary = `${archive}.tmp`;
  try {
    await pipeline(createReadStream(raw), createGzip(GZIP), createWriteStream(temporary, { mode: 0o600 }));
    await sync(temporary);
    await rename(temporary, archive);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
  // Whenever that comes to the disk: a reader that finds both takes the archive.
  await rm(raw);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
