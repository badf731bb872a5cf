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

/**
 * Whatever the block boundaries. `see` takes the bytes of whole characters before they are decoded,
 * but for UTF-16. UsageError where the text holds U+0000.
 */
export function decodeText(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
  path: string,
  see: (part: Buffer) => void = () => {},
): AsyncGenerator<string> {
  if (encoding.startsWith('utf-16')) return decodeUtf16(bytes, encoding, path);
  const textOf = encoding === 'utf-8' ? utf8Text : tableText(encoding);
  return decodeParts(bytes, path, encoding, (part) => {
    see(part);
    return textOf(part);
  });
}

/**
 * iconv-lite drops the line end behind a broken character where a block begins there, so the bytes
 * are cut between whole characters alone.
 */
async function* decodeParts(
  bytes: AsyncIterable<Buffer>,
  path: string,
  encoding: Encoding,
  textOf: (part: Buffer) => string,
): AsyncGenerator<string> {
  let carry = Buffer.alloc(0);
  let read = 0;
  for await (const block of bytes) {
    const nul = block.indexOf(0);
    if (nul !== -1) throw new UsageError(`${path}: ${nulProblem(read + nul + 1)}`);
    read += block.length;
    const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const whole = wholeLength(all, encoding);
    const length = all.length - whole > MOST_HELD_BYTES ? all.length : whole;
    carry = Buffer.from(all.subarray(length));
    if (length > 0) yield textOf(all.subarray(0, length));
  }
  if (carry.length > 0) yield textOf(carry);
}

/** The bytes up to the last that is no part of a longer character. */
function wholeLength(bytes: Buffer, encoding: Encoding): number {
  const longer = encoding === 'utf-8' ? 0x80 : FIRST_OF_PAIRS;
  return 1 + bytes.findLastIndex((byte) => byte < longer);
}

/** Smaller bytes, such as a comma's or a line end's, are in no character of several bytes. */
const FIRST_OF_PAIRS = 0x30;

/** More without such a byte makes a record too long to be read, in any encoding. */
const MOST_HELD_BYTES = 4 * 1024 * 1024;

function utf8Text(bytes: Buffer): string {
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

function tableText(encoding: Encoding): (part: Buffer) => string {
  // For bytes without a sign in ISO 8859, iconv-lite gives control characters U+0080 to U+009F.
  const bad = /^iso-?8859/i.test(encoding) ? /[\u0080-\u009F\uFFFD]/g : /\uFFFD/g;
  return (part) => iconv.decode(part, encoding, { stripBOM: false }).replaceAll(bad, BAD_BYTES);
}

export function nulProblem(byte: number): string {
  return `byte ${byte} is NUL, so this is no text: expected a CSV or JSON file in utf-8; export the data again as text`;
}
