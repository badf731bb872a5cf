import { isUtf8 } from 'node:buffer';
import { UsageError } from '../lib/usage-error.ts';
import { detectForeignEncoding } from './foreign-encoding.ts';

/**
 * Stands in decoded text for bytes that are not UTF-8. Two high surrogates in a row never come out of valid UTF-8,
 * so they can't be mistaken for a U+FFFD that the file really holds, nor for half of another character.
 */
export const BAD_BYTES = '\uD800\uD800';

const SNIFF_BYTES = 4;

/** Decodes UTF-8 as it comes, whatever the block boundaries; UsageError for UTF-16 and for NUL bytes (binary). */
export async function* decodeUtf8(bytes: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  let carry = Buffer.alloc(0);
  let decoded = 0;
  for await (const block of bytes) {
    const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const length = decoded === 0 && all.length < SNIFF_BYTES ? 0 : completeLength(all);
    carry = Buffer.from(all.subarray(length));
    if (length > 0) yield decodeBlock(all.subarray(0, length), decoded, path);
    decoded += length;
  }
  if (carry.length > 0) yield decodeBlock(carry, decoded, path);
}

function decodeBlock(bytes: Buffer, offset: number, path: string): string {
  if (offset === 0) refuseForeign(bytes, path);
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    throw new UsageError(
      `${path}: byte ${offset + nul + 1} is NUL, so this is no text: expected a CSV or JSON file in UTF-8; export the data again as text`,
    );
  }
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeLines(bytes);
}

function refuseForeign(bytes: Buffer, path: string): void {
  const found = detectForeignEncoding(bytes);
  if (found === null) return;
  throw new UsageError(
    `${path}: the text is ${found}: expected UTF-8; save it again as UTF-8 (in Excel: "CSV UTF-8") and start again`,
  );
}

/** Line by line, so that one bad line doesn't cast doubt on a U+FFFD that another line really holds. */
function decodeLines(bytes: Buffer): string {
  let text = '';
  let start = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    if (bytes[i] !== 10 && bytes[i] !== 13) continue;
    text += decodeLine(bytes.subarray(start, i + 1));
    start = i + 1;
  }
  return text + decodeLine(bytes.subarray(start));
}

function decodeLine(line: Buffer): string {
  const text = line.toString('utf8');
  return isUtf8(line) ? text : text.replaceAll('\uFFFD', BAD_BYTES);
}

/** Bytes up to the start of a character that the block cuts off at its end. */
function completeLength(bytes: Buffer): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? end - back : end;
    if (byte < 0x80) return end;
  }
  return end;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
