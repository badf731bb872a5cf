/**
 * A file's stamp tells whether a file is still the one that was looked at: inode, size and time of the last writing in
 * nanoseconds. The inode changes where another file takes its name, the size and the time where somebody writes to it.
 * Whatever asks "is it still the same" compares these stamps: a file at rest, a claimed file, a copy of one, the survey
 * that a run is registered by. A rule with fewer parts in one of these places would let a torn file through there.
 * Stamps stand in claims on the disk, so their form stays.
 */
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

export function stampOf({ ino, size, mtimeNs }: Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>): string {
  return [ino, size, mtimeNs].join(':');
}

/** The stamp of the file at a path, links followed. */
export async function fileStamp(path: string): Promise<string> {
  return stampOf(await stat(path, { bigint: true }));
}

/** How large a file was, and when it was written last, in milliseconds. */
export type Written = { readonly bytes: number; readonly ms: number };

/** Nanoseconds are divided as whole numbers: divided as a double the time could be rounded up to the next millisecond. */
export function writtenOf({ size, mtimeNs }: Pick<BigIntStats, 'size' | 'mtimeNs'>): Written {
  return { bytes: Number(size), ms: Number(mtimeNs / 1_000_000n) };
}

/** The same parts, read off a stamp; `null` where the text is no stamp. */
export function writtenOfStamp(stamp: string): Written | null {
  const [, size, mtimeNs] = stamp.split(':');
  if (size === undefined || mtimeNs === undefined) return null;
  return writtenOf({ size: BigInt(size), mtimeNs: BigInt(mtimeNs) });
}

export function changedWhileRead(path: string): UsageError {
  return new UsageError(
    `${path}: was changed while it was read: expected a file that is whole; wait until it is`,
  );
}
