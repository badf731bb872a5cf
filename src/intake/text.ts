/**
 * A file's text in one reading: its first bytes tell the encoding, and the reading finds what
 * contradicts it further down. Text that is not UTF-8 is refused there, if nobody named its
 * encoding.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Encoding } from '../model/source.ts';
import { completeLength, decodeText, utf8SequenceAt } from './decode.ts';
import { chooseEncoding, type Untold, UntoldEncodingError } from './encoding.ts';
import { peek } from './file.ts';

/** Enough to tell the encoding. */
const HEAD_BYTES = 64 * 1024;

type OpenText = {
  readonly encoding: Encoding;
  readonly texts: AsyncGenerator<string>;
  /** What was decided on thin evidence, without cell values; complete at the end of the text. */
  notes(): readonly string[];
  /** At the end of the text: the last line has no end, though two others or more have one. */
  isUnended(): boolean;
};

export async function openText(
  bytes: AsyncGenerator<Buffer>,
  path: string,
  { encoding: wanted }: Format,
): Promise<OpenText> {
  const { start: head, all } = await peek(bytes, HEAD_BYTES);
  const choice = chooseEncoding(head, wanted);
  if (choice.kind === 'refused') throw new UsageError(`${path}: ${choice.why}`);
  const { encoding, note } = choice;
  const watch = createByteWatch();
  // A byte order mark says as much as the definition does.
  const isTold = wanted !== 'auto' || encoding !== 'utf-8' || head.subarray(0, 3).equals(UTF8_MARK);
  const refuse = (untold: Untold | null) => {
    if (untold !== null && !isTold) throw new UntoldEncodingError(path, untold);
  };
  return {
    encoding,
    texts: decodeText(watched(all, watch, refuse), encoding, path),
    notes: () => [note, lateNote(encoding, watch)].filter((one) => one !== null),
    isUnended: () => watch.isUnended(),
  };
}

const UTF8_MARK = Buffer.from('efbbbf', 'hex');

async function* watched(
  bytes: AsyncIterable<Buffer>,
  watch: ByteWatch,
  refuse: (untold: Untold | null) => void,
): AsyncGenerator<Buffer> {
  for await (const block of bytes) {
    refuse(watch.see(block));
    yield block;
  }
  refuse(watch.end());
}

function lateNote(encoding: Encoding, { untold, hasUtf8 }: ByteWatch): string | null {
  if (encoding === 'utf-8' && untold !== null) {
    return `The text is read as utf-8, but has bytes that are none of it, the first on line ${untold.line}: their rows can't be read. If most of it is in another encoding, set format.encoding.`;
  }
  if (encoding.startsWith('utf') || untold !== null || !hasUtf8) return null;
  return `The text is read as ${encoding}, as format.encoding says, but all of it is valid utf-8: if accented letters come out as two signs, remove format.encoding.`;
}

/** Takes a text's bytes block by block; where they are cut changes nothing. */
type ByteWatch = {
  /** The first line that is no UTF-8; `null`: none so far. */
  readonly untold: Untold | null;
  /** A multi-byte character in UTF-8 came before. */
  readonly hasUtf8: boolean;
  see(block: Buffer): Untold | null;
  end(): Untold | null;
  isUnended(): boolean;
};

function createByteWatch(): ByteWatch {
  const lines = createLineCount();
  /** A UTF-8 sequence that the next block goes on with, and the bytes before it. */
  let carry = Buffer.alloc(0);
  let near = Buffer.alloc(0);
  let untold: Untold | null = null;
  let hasUtf8 = false;
  const judge = (bytes: Buffer, length: number) => {
    const whole = bytes.subarray(0, length);
    const valid = isUtf8(whole) ? length : validLength(whole);
    hasUtf8 ||= !isAscii(bytes.subarray(0, valid));
    if (valid < length)
      untold = { line: lines.at(bytes, valid), bytes: lineAround(near, bytes, valid), isPartlyUtf8: hasUtf8 };
  };
  return {
    get untold() {
      return untold;
    },
    get hasUtf8() {
      return hasUtf8;
    },
    see(block) {
      if (untold === null) {
        const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
        const length = completeLength(all);
        judge(all, length);
        carry = Buffer.from(all.subarray(length));
        near = Buffer.from(Buffer.concat([near, all.subarray(-NEAR_BYTES, length)]).subarray(-NEAR_BYTES));
      }
      lines.add(block);
      return untold;
    },
    end() {
      // The file ends within a sequence.
      if (untold === null && carry.length > 0) judge(carry, carry.length);
      return untold;
    },
    isUnended: () => lines.isUnended(),
  };
}

/** Bytes before the first that is no UTF-8. */
function validLength(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = (bytes[at] ?? 0) < 0x80 ? 1 : utf8SequenceAt(bytes, at);
    if (length === 'cut' || length === 0) return at;
    at += length;
  }
  return at;
}

const NEAR_BYTES = 200;

/** The line at `at`, as far as it is near; `before` stands before `bytes`. */
function lineAround(before: Buffer, bytes: Buffer, at: number): Buffer {
  const left = Buffer.concat([before, bytes.subarray(0, at)]).subarray(-NEAR_BYTES);
  const right = bytes.subarray(at, at + NEAR_BYTES);
  const end = right.findIndex(isLineEnd);
  return Buffer.concat([
    left.subarray(1 + left.findLastIndex(isLineEnd)),
    end === -1 ? right : right.subarray(0, end),
  ]);
}

/** Line ends are LF, or CR where there is no LF before. */
function createLineCount() {
  let feeds = 0;
  let returns = 0;
  let last: readonly number[] = [];
  return {
    /** The line of a place in bytes that follow those added, 1 = first. */
    at(bytes: Buffer, place: number): number {
      const before = bytes.subarray(0, place);
      const found = feeds + countBytes(before, LF);
      return 1 + (found === 0 ? returns + countBytes(before, CR) : found);
    },
    add(block: Buffer): void {
      feeds += countBytes(block, LF);
      if (feeds === 0) returns += countBytes(block, CR);
      last = [...last, ...block.subarray(-2)].slice(-2);
    },
    isUnended(): boolean {
      const byte = last.at(-1);
      // In UTF-16LE a NUL byte follows the line end.
      const isEnded = isLineEnd(byte) || (byte === 0 && isLineEnd(last[0]));
      return Math.max(feeds, returns) > 1 && !isEnded;
    },
  };
}

const LF = 0x0a;
const CR = 0x0d;

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

function countBytes(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}
