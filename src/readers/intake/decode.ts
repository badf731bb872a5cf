/**
 * Bytes to text, block by block, in a known encoding. Bytes that are no characters in it become
 * `BAD_BYTES`, never a guess, so that parsers mark just the rows they are in. A NUL character means
 * that the file is no text, and refuses all of it.
 */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { UsageError } from '../../lib/usage-error.ts';
import type { Encoding } from '../../model/source.ts';

/**
 * Two high surrogates in a row never come out of valid text: they can't be mistaken for a U+FFFD of
 * the file, nor for half of another character.
 */
export const BAD_BYTES = '\uD800\uD800';

/**
 * Whatever the block boundaries: the bytes are cut between whole characters alone, since iconv-lite
 * drops the line end behind a broken one where a block begins there. `see` takes each part.
 * UsageError where the text holds U+0000.
 */
export async function* decodeText(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
  path: string,
  see: (part: Buffer) => void = () => {},
): AsyncGenerator<string> {
  const isUtf16 = encoding.startsWith('utf-16');
  const textOf = textIn(encoding);
  let read = 0;
  for await (const part of wholeParts(bytes, encoding)) {
    const text = textOf(part);
    if (text.includes('\0')) throw new UsageError(`${path}: ${nulProblem(read + nulIn(part, isUtf16) + 1)}`);
    read += part.length;
    see(part);
    yield text;
  }
}

function textIn(encoding: Encoding): (part: Buffer) => string {
  if (encoding === 'utf-8') return utf8Text;
  return encoding.startsWith('utf-16') ? utf16Text(encoding) : tableText(encoding);
}

/** Counted in the bytes, since bad ones are more characters in the text than they were. */
function nulIn(part: Buffer, isUtf16: boolean): number {
  if (!isUtf16) return part.indexOf(0);
  let at = part.indexOf('\0\0');
  while (at % 2 === 1) at = part.indexOf('\0\0', at + 1);
  return at;
}

async function* wholeParts(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  let carry = Buffer.alloc(0);
  for await (const block of bytes) {
    const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const whole = wholeLength(all, encoding);
    const length = all.length - whole > MOST_HELD_BYTES ? all.length : whole;
    carry = Buffer.from(all.subarray(length));
    if (length > 0) yield all.subarray(0, length);
  }
  if (carry.length > 0) yield carry;
}

/** The bytes up to the last that is no part of a longer character. */
function wholeLength(bytes: Buffer, encoding: Encoding): number {
  if (encoding.startsWith('utf-16')) return wholeUnits(bytes, encoding === 'utf-16le' ? 1 : 0);
  const longer = encoding === 'utf-8' ? 0x80 : FIRST_OF_PAIRS;
  return 1 + bytes.findLastIndex((byte) => byte < longer);
}

/** A high surrogate waits for its other half. */
function wholeUnits(bytes: Buffer, upperAt: 0 | 1): number {
  const even = bytes.length - (bytes.length % 2);
  const upper = bytes[even - 2 + upperAt] ?? 0;
  return upper >= 0xd8 && upper <= 0xdb ? even - 2 : even;
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

function utf16Text(encoding: Encoding): (part: Buffer) => string {
  return (part) => {
    const text = iconv.decode(part, encoding, { stripBOM: false });
    const marked = text.isWellFormed() ? text : text.replaceAll(LONE_SURROGATE, BAD_BYTES);
    // iconv-lite drops half a unit at the end of a file that was cut off.
    return part.length % 2 === 0 ? marked : marked + BAD_BYTES;
  };
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
