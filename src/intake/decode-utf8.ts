import { isUtf8 } from 'node:buffer';
import { UsageError } from '../lib/usage-error.ts';
import { nulProblem } from './choose-encoding.ts';
import { completeLength } from './utf8-sequence.ts';

/**
 * Stands in decoded text for bytes that are no characters in its encoding. Two high surrogates in a row never come out
 * of text that is valid, so they can't be mistaken for a U+FFFD that the file really holds, nor for half of another character.
 */
export const BAD_BYTES = '\uD800\uD800';

/** Decodes UTF-8 as it comes, whatever the block boundaries; UsageError for NUL bytes (binary). */
export async function* decodeUtf8(bytes: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
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
