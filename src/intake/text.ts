/**
 * A file's text in one reading: its first bytes tell the encoding, and the reading finds what
 * contradicts it further down. Text that is not UTF-8 is refused there, if nobody named its
 * encoding.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Format } from '../config/job-definition.ts';
import type { Encoding } from '../model/source.ts';
import { decodeText } from './decode.ts';
import { chooseEncoding, type Untold, UntoldEncodingError } from './encoding.ts';
import { peek } from './file.ts';

/** Enough to tell the encoding. */
const HEAD_BYTES = 64 * 1024;

type OpenText = {
  readonly encoding: Encoding;
  readonly texts: AsyncGenerator<string>;
  /** What was decided on thin evidence, without cell values; complete at the end of the text. */
  notes(): readonly string[];
};

export async function openText(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  { encoding: wanted }: Format,
): Promise<OpenText> {
  const { start: head, all } = await peek(bytes, HEAD_BYTES);
  const { encoding, note } = chooseEncoding(head, wanted, path);
  const watch = createUtf8Watch();
  // A byte order mark says as much as the definition does.
  const isTold = wanted !== 'auto' || encoding !== 'utf-8' || head.subarray(0, 3).equals(UTF8_MARK);
  const see = (part: Buffer) => {
    const untold = watch.see(part);
    if (untold !== null && !isTold) throw new UntoldEncodingError(path, untold);
  };
  return {
    encoding,
    texts: decodeText(all, encoding, path, see),
    notes: () => [note, lateNote(encoding, watch)].filter((one) => one !== null),
  };
}

const UTF8_MARK = Buffer.from('efbbbf', 'hex');

function lateNote(encoding: Encoding, { untold, hasUtf8 }: Utf8Watch): string | null {
  if (encoding === 'utf-8' && untold !== null) {
    return `The text is read as utf-8, but has bytes that are none of it, the first on line ${untold.line}: their rows can't be read. Or set another format.encoding.`;
  }
  if (encoding === 'utf-8' || untold !== null || !hasUtf8) return null;
  return `The text is read as ${encoding}, but all of it is valid utf-8: if accented letters come out as two signs, remove format.encoding.`;
}

type Utf8Watch = {
  /** The first line that is no UTF-8; `null`: none so far. */
  readonly untold: Untold | null;
  /** A multi-byte character in UTF-8 came before. */
  readonly hasUtf8: boolean;
  see(part: Buffer): Untold | null;
};

/** Takes a text's bytes in parts of whole characters. */
function createUtf8Watch(): Utf8Watch {
  let feeds = 0;
  let returns = 0;
  let untold: Untold | null = null;
  let hasUtf8 = false;
  return {
    get untold() {
      return untold;
    },
    get hasUtf8() {
      return hasUtf8;
    },
    see(part) {
      if (untold !== null) return untold;
      const length = isUtf8(part) ? part.length : validLength(part);
      const valid = part.subarray(0, length);
      hasUtf8 ||= !isAscii(valid);
      feeds += countBytes(valid, LF);
      // Lines end with CR where there is no LF.
      if (feeds === 0) returns += countBytes(valid, CR);
      if (length < part.length)
        untold = { line: 1 + (feeds || returns), bytes: lineAt(part, length), isPartlyUtf8: hasUtf8 };
      return untold;
    },
  };
}

/** Decoded and encoded again, bytes differ from the first on that is no UTF-8. */
function validLength(part: Buffer): number {
  const again = Buffer.from(part.toString());
  return part.findIndex((byte, at) => byte !== again[at]);
}

/** The line around a byte, as far as it is near. */
function lineAt(bytes: Buffer, at: number): Buffer {
  const left = bytes.subarray(Math.max(0, at - NEAR_BYTES), at);
  const right = bytes.subarray(at, at + NEAR_BYTES);
  const end = right.findIndex(isLineEnd);
  return Buffer.concat([
    left.subarray(1 + left.findLastIndex(isLineEnd)),
    end === -1 ? right : right.subarray(0, end),
  ]);
}

const NEAR_BYTES = 200;
const LF = 0x0a;
const CR = 0x0d;

function isLineEnd(byte: number): boolean {
  return byte === LF || byte === CR;
}

function countBytes(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}
