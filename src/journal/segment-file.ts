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

/** The name of a segment's file: raw lines, or what they came down to. */
export function segmentName(number: number, form: 'log' | 'gz'): string {
  return `${String(number).padStart(6, '0')}.${form}`;
}

/** Makes a segment's file, durably, for its owner alone. */
export async function createSegmentFile(folder: string, number: number): Promise<SegmentFile> {
  const path = join(folder, segmentName(number, 'log'));
  const handle = await open(path, 'wx', 0o600);
  let size = 0;
  let usable = true;
  await syncFolder(folder);

  return {
    path,
    size: () => size,
    isUsable: () => usable,
    async append(text) {
      const bytes = Buffer.from(text);
      try {
        await writeAll(handle, bytes, size);
      } catch (error) {
        usable = await isTruncated(handle, size);
        throw error;
      }
      try {
        await handle.datasync();
      } catch (error) {
        // After a failed fsync the system may take pages for written that aren't.
        usable = false;
        await isTruncated(handle, size);
        throw error;
      }
      size += bytes.length;
    },
    close: () => handle.close(),
  };
}

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
