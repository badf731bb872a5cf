/**
 * Bytes to text, block by block, in a known encoding. Bytes that are no characters in it become
 * `BAD_BYTES`, never a guess, so that parsers mark just the rows they are in. A NUL character means
 * that the file is no text, and refuses all of it.
 */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { UsageError } from '../lib/usage-error.ts';
import type { Encoding } from '../model/source.ts';

/**
 * Two high surrogates in a row never come out of valid text: they can't be mistaken for a U+FFFD of
 * the file, nor for half of another character.
 */
export const BAD_BYTES = '\uD800\uD800';

/** Whatever the block boundaries. UsageError where the text holds U+0000. */
export function decodeText(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
  path: string,
): AsyncGenerator<string> {
  if (encoding === 'utf-8') return decodeUtf8(bytes, path);
  return encoding.startsWith('utf-16')
    ? decodeUtf16(bytes, encoding, path)
    : decodeByTable(bytes, encoding, path);
}

async function* decodeUtf8(bytes: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  let carry = Buffer.alloc(0);
  let decoded = 0;
  for await (const block of bytes) {
    const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const length = completeLength(all);
    carry = Buffer.from(all.subarray(length));
    if (length > 0) yield decodeBlock(all.subarray(0, length), decoded, path);
    decoded += length;
  }
  if (carry.length > 0) yield decodeBlock(carry, decoded, path);
}

function decodeBlock(bytes: Buffer, offset: number, path: string): string {
  const nul = bytes.indexOf(0);
  if (nul !== -1) throw new UsageError(`${path}: ${nulProblem(offset + nul + 1)}`);
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeLines(bytes);
}

/** Line by line: a U+FFFD of the file only counts as bad bytes in a line that has some. */
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

async function* decodeUtf16(bytes: AsyncIterable<Buffer>, encoding: Encoding, path: string) {
  const decoder = iconv.getDecoder(encoding, { stripBOM: false });
  let held = '';
  let length = 0;
  let decoded = 0;
  for await (const block of bytes) {
    length += block.length;
    const all = held + decoder.write(block);
    // iconv-lite cuts surrogate pairs in UTF-16BE: a first half waits for the next block.
    held = isHighSurrogate(all.charCodeAt(all.length - 1)) ? all.slice(-1) : '';
    const text = all.slice(0, all.length - held.length);
    const nul = text.indexOf('\u0000');
    if (nul !== -1) throw new UsageError(`${path}: ${nulProblem((decoded + nul) * 2 + 1)}`);
    decoded += text.length;
    if (text !== '') yield markLone(text);
  }
  const rest = markLone(held + (decoder.end() ?? ''));
  // iconv-lite drops half a unit at the end of a file that was cut off.
  const odd = length % 2 === 0 ? '' : BAD_BYTES;
  if (rest + odd !== '') yield rest + odd;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function markLone(text: string): string {
  return text.isWellFormed() ? text : text.replaceAll(LONE_SURROGATE, BAD_BYTES);
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Cuts only behind bytes that are no part of a longer character, such as spaces and commas:
 * iconv-lite drops the line end behind a broken character where a block begins there.
 */
async function* decodeByTable(bytes: AsyncIterable<Buffer>, encoding: Encoding, path: string) {
  // For bytes without a sign in ISO 8859, iconv-lite gives control characters U+0080 to U+009F.
  const bad = /^iso-?8859/i.test(encoding) ? /[\u0080-\u009F\uFFFD]/g : /\uFFFD/g;
  const textOf = (part: Buffer) =>
    iconv.decode(part, encoding, { stripBOM: false }).replaceAll(bad, BAD_BYTES);
  let carry = Buffer.alloc(0);
  let decoded = 0;
  for await (const block of bytes) {
    const nul = block.indexOf(0);
    if (nul !== -1) throw new UsageError(`${path}: ${nulProblem(decoded + nul + 1)}`);
    decoded += block.length;
    const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const end = 1 + all.findLastIndex((byte) => byte < FIRST_OF_PAIRS);
    const length = all.length - end > MOST_HELD_BYTES ? all.length : end;
    carry = Buffer.from(all.subarray(length));
    if (length > 0) yield textOf(all.subarray(0, length));
  }
  if (carry.length > 0) yield textOf(carry);
}

/** No encoding of two or four bytes has a smaller one in a character. */
const FIRST_OF_PAIRS = 0x30;
const MOST_HELD_BYTES = 1024 * 1024;

export function nulProblem(byte: number): string {
  return `byte ${byte} is NUL, so this is no text: expected a CSV or JSON file in utf-8; export the data again as text`;
}

/** Bytes before a UTF-8 sequence that the end cuts off; all where none is cut off. */
export function completeLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte >= 0xc0) return utf8SequenceAt(bytes, end - back) === 'cut' ? end - back : end;
    if (byte < 0x80) return end;
  }
  return end;
}

/**
 * Length of the UTF-8 sequence of several bytes at `at` (Unicode, table 3-7); 0: none begins there;
 * `cut`: the bytes end within it.
 */
export function utf8SequenceAt(bytes: Uint8Array, at: number): number | 'cut' {
  const lead = bytes[at] ?? 0;
  const length = sequenceLength(lead);
  for (let k = 1; k < length; k += 1) {
    const next = bytes[at + k];
    if (next === undefined) return 'cut';
    if (!mayFollow(lead, k, next)) return 0;
  }
  return length;
}

function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function mayFollow(lead: number, place: number, byte: number): boolean {
  if (byte < 0x80 || byte > 0xbf) return false;
  if (place > 1) return true;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90;
  return lead !== 0xf4 || byte <= 0x8f;
}
