import { damaged } from './workbook-error.ts';

/** One file of a zip archive as its central directory describes it (PKWARE APPNOTE, section 4.3.12). */
export type ZipEntry = {
  readonly name: string;
  readonly encrypted: boolean;
  /** 0 = stored, 8 = deflated. */
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header begins. */
  readonly offset: number;
};

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const IN_EXTRA_16 = 0xffff;
const IN_EXTRA_32 = 0xffffffff;
const EXTRA_64 = 0x0001;

/** The files of a zip archive; WorkbookError where its directory is torn or cut off. */
export function readDirectory(zip: Buffer): readonly ZipEntry[] {
  try {
    return entriesOf(zip);
  } catch (error) {
    if (error instanceof RangeError) throw damaged('its directory points outside the file', error);
    throw error;
  }
}

function entriesOf(zip: Buffer): readonly ZipEntry[] {
  let { count, at } = directoryOf(zip);
  const entries: ZipEntry[] = [];
  for (; count > 0; count -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw damaged('its directory is torn');
    entries.push(entryAt(zip, at));
    at += ENTRY_BYTES + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

function directoryOf(zip: Buffer): { count: number; at: number } {
  const end = endOfDirectory(zip);
  const count = zip.readUInt16LE(end + 10);
  const at = zip.readUInt32LE(end + 16);
  const locator = end - LOCATOR_64_BYTES;
  const isLarge = count === IN_EXTRA_16 || at === IN_EXTRA_32;
  if (!isLarge || locator < 0 || zip.readUInt32LE(locator) !== LOCATOR_64) return { count, at };
  const end64 = Number(zip.readBigUInt64LE(locator + 8));
  if (zip.readUInt32LE(end64) !== END_64) throw damaged('its directory has no end');
  return { count: Number(zip.readBigUInt64LE(end64 + 32)), at: Number(zip.readBigUInt64LE(end64 + 48)) };
}

function endOfDirectory(zip: Buffer): number {
  const earliest = Math.max(0, zip.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = zip.length - END_BYTES; at >= earliest; at -= 1) {
    if (zip.readUInt32LE(at) === END && at + END_BYTES + zip.readUInt16LE(at + 20) === zip.length) return at;
  }
  throw damaged('its end is missing: it was cut off, or never written to its end');
}

function entryAt(zip: Buffer, at: number): ZipEntry {
  const nameEnd = at + ENTRY_BYTES + zip.readUInt16LE(at + 28);
  const large = largeNumbers(zip.subarray(nameEnd, nameEnd + zip.readUInt16LE(at + 30)));
  const numberAt = (place: number) => {
    const small = zip.readUInt32LE(place);
    return small === IN_EXTRA_32 ? large() : small;
  };
  return {
    name: zip.toString('utf8', at + ENTRY_BYTES, nameEnd).replaceAll('\\', '/'),
    encrypted: (zip.readUInt16LE(at + 8) & 1) === 1,
    method: zip.readUInt16LE(at + 10),
    crc32: zip.readUInt32LE(at + 16),
    // The large numbers follow each other in this order, and only those that have no place in the entry.
    bytes: numberAt(at + 24),
    compressedBytes: numberAt(at + 20),
    offset: numberAt(at + 42),
  };
}

/** Reads the numbers of the zip64 extra field one after the other, once one is asked for (APPNOTE, section 4.5.3). */
function largeNumbers(extra: Buffer): () => number {
  let at = -1;
  return () => {
    at = at === -1 ? startOfLarge(extra) : at + 8;
    return Number(extra.readBigUInt64LE(at));
  };
}

function startOfLarge(extra: Buffer): number {
  let at = 0;
  while (extra.readUInt16LE(at) !== EXTRA_64) at += 4 + extra.readUInt16LE(at + 2);
  return at + 4;
}
