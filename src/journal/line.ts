import { crc32 } from 'node:zlib';
import { type LineRecord, type StoredRecord, storedRecordSchema } from './record.ts';

const CRC_DIGITS = 8;

/** The record's line: CRC-32 of the JSON text in 8 hexadecimal digits, a space, the JSON text, a line feed. */
export function encodeLine(record: LineRecord): string {
  const json = record.kind === 'settled' ? settledJson(record) : JSON.stringify(record);
  return `${checksum(json)} ${json}\n`;
}

/** The entries are JSON text already: to parse or to quote them would cost more than all the rest. */
function settledJson({ run, entries }: Extract<LineRecord, { kind: 'settled' }>): string {
  const line = entries.includes('\n') ? JSON.stringify(JSON.parse(entries)) : entries;
  return `{"kind":"settled","run":${JSON.stringify(run)},"entries":${line}}`;
}

/** The record of a line without its line feed; `null` where it isn't what was written. */
export function decodeLine(line: string): StoredRecord | null {
  const json = line.slice(CRC_DIGITS + 1);
  if (line.charAt(CRC_DIGITS) !== ' ' || line.slice(0, CRC_DIGITS) !== checksum(json)) return null;
  return storedRecordSchema.safeParse(parsed(json)).data ?? null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(CRC_DIGITS, '0');
}
