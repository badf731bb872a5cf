/**
 * A file's stamp: inode, size and time of the last write in nanoseconds. Everything that asks
 * whether a file is still the same compares stamps: a weaker rule in one place would let a torn
 * file through. Stamps stand in claims on disk, so their form stays.
 */
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

export function stampOf({ ino, size, mtimeNs }: Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>): string {
  return [ino, size, mtimeNs].join(':');
}

/** Follows links. */
export async function fileStamp(path: string): Promise<string> {
  return stampOf(await stat(path, { bigint: true }));
}

/** Size and last write (ms). */
export type Written = { readonly bytes: number; readonly ms: number };

/** `null`: the text is no stamp. */
export function writtenOfStamp(stamp: string): Written | null {
  const [, size, mtimeNs] = stamp.split(':');
  if (size === undefined || mtimeNs === undefined) return null;
  // Divided as whole numbers: a double could round up to the next millisecond.
  return { bytes: Number(size), ms: Number(BigInt(mtimeNs) / 1_000_000n) };
}

export function changedWhileRead(path: string): UsageError {
  return new UsageError(
    `${path}: was changed while it was read: expected a file that is whole; wait until it is`,
  );
}
