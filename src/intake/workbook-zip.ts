import { crc32, createInflateRaw } from 'node:zlib';
import type { ZipEntry } from './workbook-directory.ts';
import { readDirectory } from './workbook-directory.ts';
import { damaged, encrypted, tooLarge } from './workbook-error.ts';

/** A zip archive's files by their names in lower case, since the names of a workbook's parts differ by more than case (ECMA-376 part 2). */
export type Zip = {
  has(name: string): boolean;
  /** The size that the directory gives; 0 where there is no such file. */
  sizeOf(name: string): number;
  /** The file's bytes, checked against size and CRC by the end; WorkbookError where there is no such file. */
  read(name: string): AsyncGenerator<Buffer, void, undefined>;
};

/** The sheet of a million rows and twenty columns has 0.8 GiB. */
const MAX_PART_BYTES = 1024 ** 3;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

/** Opens a zip archive that lies in memory; nothing is expanded yet. */
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

function dataOf(zip: Buffer, entry: ZipEntry): Buffer {
  const header = zip.subarray(entry.offset, entry.offset + LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) {
    throw damaged(`its part ${entry.name} is not where the directory says`);
  }
  const start = entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  return zip.subarray(start, start + entry.compressedBytes);
}

/** Stored parts in blocks too, so that no block becomes more rows than fit in memory. */
async function* expand(data: Buffer, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  if (entry.method === STORED) yield* blocksOf(data);
  else yield* inflate(data, entry);
}

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
