/**
 * A zip archive that lies in memory (PKWARE APPNOTE), as far as workbooks use it: files stored or deflated, zip64
 * included. Each file is expanded as it is read and checked against the directory's size and CRC by its end.
 */
import { crc32, createInflateRaw } from 'node:zlib';
import { damaged, encrypted, tooLarge } from './error.ts';

/** A zip archive's files by name. Case doesn't matter, since the names of a workbook's parts differ by more (ECMA-376 part 2). */
export type Zip = {
  has(name: string): boolean;
  /** The size that the directory gives; 0 where there is no such file. */
  sizeOf(name: string): number;
  /** The file's bytes, checked against size and CRC at their end; WorkbookError where there is no such file. */
  read(name: string): AsyncGenerator<Buffer, void, undefined>;
};

export function openZip(zip: Buffer): Zip {
  const entries = new Map<string, ZipEntry>();
  for (const entry of readDirectory(zip)) {
    const name = keyOf(entry.name);
    if (entries.has(name)) throw damaged('it holds two parts of one name');
    entries.set(name, entry);
  }
  return {
    has: (name) => entries.has(keyOf(name)),
    sizeOf: (name) => entries.get(keyOf(name))?.bytes ?? 0,
    read: (name) => readEntry(zip, entries.get(keyOf(name)), name),
  };
}

function keyOf(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

async function* readEntry(
  zip: Buffer,
  entry: ZipEntry | undefined,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  if (entry === undefined) throw damaged(`its part ${name} is missing`);
  checkEntry(entry);
  let bytes = 0;
  let checksum = 0;
  for await (const block of expand(dataOf(zip, entry), entry)) {
    bytes += block.length;
    if (bytes > entry.bytes) break;
    checksum = crc32(block, checksum);
    yield block;
  }
  if (bytes !== entry.bytes || checksum !== entry.crc32) throw damaged(`the content of its part ${name}`);
}

function checkEntry(entry: ZipEntry): void {
  if (entry.encrypted) throw encrypted();
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    throw damaged(`its part ${entry.name} is compressed in a way that no Excel reads`);
  }
  if (entry.bytes > MAX_PART_BYTES) {
    throw tooLarge(`${entry.name} has ${entry.bytes} bytes when expanded, the limit is ${MAX_PART_BYTES}`);
  }
}

/** The largest part that is read; a sheet of a million rows and twenty columns has 0.8 GiB. */
const MAX_PART_BYTES = 1024 ** 3;

function dataOf(zip: Buffer, entry: ZipEntry): Buffer {
  const header = zip.subarray(entry.offset, entry.offset + LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) {
    throw damaged(`its part ${entry.name} is not where the directory says`);
  }
  const start = entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  return zip.subarray(start, start + entry.compressedBytes);
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

/** Expands a part in blocks, stored parts too, so that no block becomes more rows than fit in memory. */
async function* expand(data: Buffer, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  if (entry.method === STORED) yield* blocksOf(data);
  else yield* inflate(data, entry);
}

const STORED = 0;
const DEFLATED = 8;
const BLOCK_BYTES = 16 * 1024;

function* blocksOf(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += BLOCK_BYTES) yield data.subarray(at, at + BLOCK_BYTES);
}

async function* inflate(data: Buffer, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const stream = createInflateRaw({ chunkSize: BLOCK_BYTES });
  stream.end(data);
  try {
    for await (const block of stream) if (Buffer.isBuffer(block)) yield block;
  } catch (error) {
    throw damaged(`the compression of its part ${entry.name}`, error);
  }
}

type ZipEntry = {
  readonly name: string;
  readonly encrypted: boolean;
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly offset: number;
};

function readDirectory(zip: Buffer): readonly ZipEntry[] {
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
    // The extra field has the large numbers in this order, and only those that don't fit into the entry.
    bytes: numberAt(at + 24),
    compressedBytes: numberAt(at + 20),
    offset: numberAt(at + 42),
  };
}

/** Reads the next number of the zip64 extra field each time one is asked for (APPNOTE, section 4.5.3). */
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
