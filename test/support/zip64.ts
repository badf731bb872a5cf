import { crc32 } from 'node:zlib';

/** A zip archive, stored, whose directory has every number in the fields of zip64, as some programs always write it. */
export function zip64Of(parts: Readonly<Record<string, string | Uint8Array | null>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, part] of Object.entries(parts)) {
    const content = Buffer.from(part ?? '');
    const local = Buffer.concat([localHeader(name), content]);
    files.push(local);
    directory.push(entry(name, content, offset));
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  return Buffer.concat([...files, entries, ends(directory.length, offset, offset + entries.length)]);
}

function localHeader(name: string): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

function entry(name: string, content: Buffer, offset: number): Buffer {
  const fixed = Buffer.alloc(46);
  fixed.writeUInt32LE(0x02014b50);
  fixed.writeUInt32LE(crc32(content), 16);
  for (const field of [20, 24, 42]) fixed.writeUInt32LE(0xffffffff, field);
  fixed.writeUInt16LE(name.length, 28);
  fixed.writeUInt16LE(34, 30);
  const extra = Buffer.alloc(34);
  extra.writeUInt16LE(0x5455, 0); // another field first, of two bytes
  extra.writeUInt16LE(2, 2);
  extra.writeUInt16LE(1, 6);
  extra.writeUInt16LE(24, 8);
  for (const [i, number] of [content.length, content.length, offset].entries()) {
    extra.writeBigUInt64LE(BigInt(number), 10 + 8 * i);
  }
  return Buffer.concat([fixed, Buffer.from(name), extra]);
}

function ends(count: number, directory: number, at: number): Buffer {
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(directory), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  locator.writeBigUInt64LE(BigInt(at), 8);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(0xffff, 10);
  end.writeUInt32LE(0xffffffff, 16);
  return Buffer.concat([end64, locator, end]);
}
