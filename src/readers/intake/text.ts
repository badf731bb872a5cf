/**
 * A file's text in one reading: its first bytes tell the encoding, and the reading finds what
 * contradicts it further down.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Format } from '../../config/job-definition.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Encoding } from '../../model/source.ts';
import { decodeText } from './decode.ts';
import { chooseEncoding, contradiction, type Untold, UntoldEncodingError } from './encoding.ts';
import { peek } from './file.ts';
import { ChoiceError } from './row-feed.ts';
import { createSevenBitLook, type SevenBit } from './seven-bit.ts';

const HEAD_BYTES = 64 * 1024;

type OpenText = {
  readonly encoding: Encoding;
  readonly texts: AsyncGenerator<string>;
  /** At the end: what was decided on thin evidence, without cell values; or a UsageError. */
  notes(): readonly string[];
};

export async function openText(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  { encoding: wanted }: Format,
): Promise<OpenText> {
  const { start: head, all } = await peek(bytes, HEAD_BYTES);
  const { encoding, note } = chooseEncoding(head, wanted, path);
  const watch: Utf8Watch = { feeds: 0, returns: 0, untold: null, hasUtf8: false };
  // A byte order mark says as much as the definition does.
  const isTold = wanted !== 'auto' || encoding !== 'utf-8' || head.subarray(0, 3).equals(UTF8_MARK);
  const sevenBit = createSevenBitLook();
  const see = (part: Buffer) => {
    if (!isTold) sevenBit.see(part);
    if (watch.untold === null && !encoding.startsWith('utf-16')) watchUtf8(watch, part);
    if (watch.untold !== null && !isTold) throw new UntoldEncodingError(path, watch.untold);
  };
  return {
    encoding,
    texts: decodeText(all, encoding, path, see),
    notes() {
      const letters = isTold || watch.hasUtf8 ? null : sevenBit.found();
      if (letters !== null) throw sevenBitError(path, letters);
      return [note, lateNote(path, encoding, watch)].filter((one) => one !== null);
    },
  };
}

const UTF8_MARK = Buffer.from('efbbbf', 'hex');

function lateNote(path: string, encoding: Encoding, { untold, hasUtf8 }: Utf8Watch): string | null {
  if (encoding === 'utf-8' && untold !== null) {
    return (
      `The text is read as utf-8, but has bytes that are none of it, the first on line ${untold.line}: ` +
      `their rows can't be read. Save the file again as utf-8, or correct format.encoding.`
    );
  }
  if (encoding === 'utf-8' || untold !== null || !hasUtf8) return null;
  throw new UsageError(
    `${path}: ${contradiction(encoding, 'is valid utf-8 to its end, and é would be sent as other signs')}`,
  );
}

function sevenBitError(path: string, { name, example }: SevenBit): UsageError {
  const problem =
    `${path}: has letters as ${name} writes them (such as ${example}): expected utf-8; ` +
    'save it as utf-8, or, where that is meant as it stands, set format.encoding: utf-8';
  return new ChoiceError(problem, [{ setting: 'encoding', value: 'utf-8', shows: [] }]);
}

type Utf8Watch = {
  /** Line ends so far. */
  feeds: number;
  returns: number;
  /** The first line that is no UTF-8; `null`: none so far. */
  untold: Untold | null;
  /** A multi-byte character in UTF-8 came before. */
  hasUtf8: boolean;
};

/** Takes a text's bytes in parts of whole characters. */
function watchUtf8(watch: Utf8Watch, part: Buffer): void {
  const length = isUtf8(part) ? part.length : validLength(part);
  const valid = part.subarray(0, length);
  watch.hasUtf8 ||= !isAscii(valid);
  watch.feeds += countBytes(valid, LF);
  // Lines end with CR where there is no LF.
  if (watch.feeds === 0) watch.returns += countBytes(valid, CR);
  const line = 1 + (watch.feeds || watch.returns);
  if (length < part.length) watch.untold = { line, bytes: lineAt(part, length), isPartlyUtf8: watch.hasUtf8 };
}

/** Decoded and encoded again, bytes differ from the first on that is no UTF-8. */
function validLength(part: Buffer): number {
  const again = Buffer.from(part.toString());
  return part.findIndex((byte, at) => byte !== again[at]);
}

/** The line around a byte, as far as it is near. */
function lineAt(bytes: Buffer, at: number): Buffer {
  const left = bytes.toString('latin1', Math.max(0, at - NEAR_BYTES), at).split(/[\r\n]/);
  const right = bytes.toString('latin1', at, at + NEAR_BYTES).split(/[\r\n]/, 1);
  return Buffer.from(left.slice(-1).concat(right).join(''), 'latin1');
}

const NEAR_BYTES = 200;
const LF = 0x0a;
const CR = 0x0d;

function countBytes(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}
