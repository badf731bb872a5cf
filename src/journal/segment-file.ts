import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './folder.ts';

/** A file of the journal that grows by whole groups of lines. */
export type SegmentFile = {
  readonly path: string;
  /** Bytes in whole groups. */
  size(): number;
  /** Resolves when the text is on the disk; where it rejects, nothing of it counts. */
  append(text: string): Promise<void>;
  /** False where a failure left what can't be taken back: nothing more may be appended. */
  isUsable(): boolean;
  close(): Promise<void>;
};

/** The name of a segment's file: lines as they were written, or the same compressed. */
export function segmentName(number: number, form: 'log' | 'gz'): string {
  return `${String(number).padStart(6, '0')}.${form}`;
}

/** A write returns when its bytes are on the disk: one call where a write and a sync would be two. Not every system has it. */
const { O_DSYNC = 0, O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Makes a segment's file, durably, for its owner alone. */
export async function createSegmentFile(folder: string, number: number): Promise<SegmentFile> {
  const path = join(folder, segmentName(number, 'log'));
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC, 0o600);
  let size = 0;
  let usable = true;
  try {
    await syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw error;
  }

  return {
    path,
    size: () => size,
    isUsable: () => usable,
    async append(text) {
      const bytes = Buffer.from(text);
      try {
        await writeAll(handle, bytes, size);
        if (O_DSYNC === 0) await handle.datasync();
      } catch (error) {
        // After a failed sync the system may take pages for written that aren't; only a full disk says that it took nothing.
        usable = (await isTruncated(handle, size)) && isFull(error);
        throw error;
      }
      size += bytes.length;
    },
    close: () => handle.close(),
  };
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code);
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

async function isTruncated(handle: FileHandle, size: number): Promise<boolean> {
  try {
    await handle.truncate(size);
    return true;
  } catch {
    return false;
  }
}
