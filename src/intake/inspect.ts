/**
 * The first reading of a file, over all its bytes: its hash, its size, and how its bytes become
 * text. Every later reading of the same file goes by what was decided here, so that an encoding
 * never changes in the middle of a run.
 */
import { createHash } from 'node:crypto';
import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Encoding } from '../model/source.ts';
import { type Container, containerOf, refuseNested, SIGNATURE_BYTES, unpack } from './container.ts';
import { type ByteEvidence, chooseEncoding, createEvidenceGatherer, untold } from './encoding.ts';
import { fileBytes } from './file.ts';

/** A text whose encoding nobody said. Notes and logs have its message, which has nothing of the text. */
class UntoldEncodingError extends UsageError {
  /** With text of the file, for who looks at it. */
  readonly shown: string;

  constructor(problem: string, shown: string) {
    super(problem);
    this.shown = shown;
  }
}

/** The same refusal as somebody is told who looks at the file. */
export function asShown(error: unknown): never {
  throw error instanceof UntoldEncodingError ? new UsageError(error.shown) : error;
}

export type Decoding = {
  readonly container: Container;
  /** `utf-8` for a workbook, whose parts say their encodings themselves. */
  readonly encoding: Encoding;
  /** What was decided on thin evidence, in words for people; no cell values. */
  readonly notes: readonly string[];
  readonly isUnended?: true;
};

/** What one reading of all bytes found out, before the file is understood. */
type Inspected = Decoding & {
  /** The hash of the file as it lies on the disk; lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
};

type OpenBytes = () => AsyncGenerator<Buffer>;

export async function inspectFile(path: string, format: Format): Promise<Inspected> {
  return inspectBytes(() => fileBytes(path), path, format);
}

/** The same for bytes from anywhere; `path` is for the name's ending and for messages. */
export async function inspectBytes(open: OpenBytes, path: string, format: Format): Promise<Inspected> {
  const hash = createHash('sha256');
  let bytes = 0;
  const raw = tap(open(), (block) => {
    hash.update(block);
    bytes += block.length;
  });
  try {
    const { start, all } = await peek(raw, SIGNATURE_BYTES);
    const container = containerOf(start, path, format);
    const text = container === 'workbook' ? await drain(all) : await readText(all, container, path);
    const openText = () => unpack(open(), container, path);
    const chosen = text === null ? WORKBOOK : await decide(text, openText, path, format);
    return { container, ...chosen, sha256: hash.digest('hex'), bytes };
  } finally {
    await raw.return(undefined);
  }
}

const WORKBOOK = { encoding: 'utf-8', notes: [] } as const;

/** What one reading of a text found: `head` is its beginning. */
type TextFacts = { readonly evidence: ByteEvidence; readonly head: Buffer; readonly isUnended: boolean };

async function readText(raw: AsyncGenerator<Buffer>, container: Container, path: string): Promise<TextFacts> {
  const bytes = unpack(raw, container, path);
  try {
    const { start: head, all } = await peek(bytes, HEAD_BYTES);
    if (container === 'gzip') refuseNested(head.subarray(0, SIGNATURE_BYTES), path);
    const gatherer = createEvidenceGatherer();
    const lineEnds = createLineEndWatch();
    for await (const block of all) {
      gatherer.add(block);
      lineEnds.add(block);
    }
    return { evidence: gatherer.end(), head, isUnended: lineEnds.isUnended() };
  } finally {
    await bytes.return(undefined);
  }
}

const HEAD_BYTES = 64 * 1024;

async function decide(
  { evidence, head, isUnended }: TextFacts,
  openText: OpenBytes,
  path: string,
  format: Format,
): Promise<Omit<Decoding, 'container'>> {
  const choice = chooseEncoding(evidence, head, format.encoding);
  if (choice.kind === 'refused') throw new UsageError(`${path}: ${choice.why}`);
  if (choice.kind === 'untold') {
    const { line, bytes } = await lineAt(openText(), choice.at);
    const found = { line, bytes, isPartlyUtf8: choice.isPartlyUtf8 };
    throw new UntoldEncodingError(`${path}: ${untold(found, false)}`, `${path}: ${untold(found, true)}`);
  }
  const { encoding, note } = choice;
  const notes = note === null ? [] : [note.words((await lineAt(openText(), note.at)).line)];
  return { encoding, notes, ...(isUnended ? { isUnended } : {}) };
}

/** The line at an offset: its number, 1 = first, and its bytes near there. Line ends are LF, or CR where there is no LF before. */
async function lineAt(
  blocks: AsyncIterable<Buffer>,
  offset: number,
): Promise<{ readonly line: number; readonly bytes: Buffer }> {
  let feeds = 0;
  let returns = 0;
  let left = offset;
  let before = Buffer.alloc(0);
  let behind = Buffer.alloc(0);
  for await (const block of blocks) {
    const part = block.subarray(0, left);
    feeds += countBytes(part, LF);
    returns += countBytes(part, CR);
    left -= part.length;
    before = Buffer.concat([before, part]).subarray(-NEAR_BYTES);
    behind = Buffer.concat([behind, block.subarray(part.length)]).subarray(0, NEAR_BYTES);
    if (behind.length === NEAR_BYTES) break;
  }
  const start = 1 + Math.max(before.lastIndexOf(LF), before.lastIndexOf(CR));
  const end = behind.findIndex(isLineEnd);
  const bytes = Buffer.concat([before.subarray(start), behind.subarray(0, end === -1 ? undefined : end)]);
  return { line: 1 + (feeds === 0 ? returns : feeds), bytes };
}

const NEAR_BYTES = 200;

/** Takes a text's bytes block by block, and tells whether the last line was written to its end. */
type LineEndWatch = {
  add(block: Buffer): void;
  /** Whether the last line has no end though two lines or more have one, as in a table of two rows. */
  isUnended(): boolean;
};

function createLineEndWatch(): LineEndWatch {
  const ended = new Map([
    [LF, 0],
    [CR, 0],
  ]);
  let last: readonly number[] = [];
  return {
    add(block) {
      for (const [byte, found] of ended) {
        if (found < ENOUGH) ended.set(byte, found + countBytes(block, byte, ENOUGH - found));
      }
      last = [...last, ...block.subarray(-2)].slice(-2);
    },
    isUnended() {
      const byte = last.at(-1);
      // In UTF-16LE a line end has its NUL byte behind it.
      const isTable = [...ended.values()].some((found) => found >= ENOUGH);
      return isTable && !isLineEnd(byte) && !(byte === NUL && isLineEnd(last[0]));
    },
  };
}

const ENOUGH = 2;
const LF = 0x0a;
const CR = 0x0d;
const NUL = 0;

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/** How often the byte occurs, counted up to `most` and no further: a table's line ends needn't be searched to its end. */
function countBytes(bytes: Buffer, byte: number, most = Number.POSITIVE_INFINITY): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1 && found < most; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}

/** The first `length` bytes, fewer where there are no more, and all bytes from the first on. */
async function peek(
  bytes: AsyncGenerator<Buffer>,
  length: number,
): Promise<{ readonly start: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const blocks: Buffer[] = [];
  let held = 0;
  while (held < length) {
    const next = await bytes.next();
    if (next.done) break;
    blocks.push(next.value);
    held += next.value.length;
  }
  return { start: Buffer.concat(blocks).subarray(0, length), all: after(blocks, bytes) };
}

async function* after(blocks: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* blocks;
  yield* rest;
}

async function* tap(blocks: AsyncIterable<Buffer>, see: (block: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    see(block);
    yield block;
  }
}

async function drain(bytes: AsyncIterable<Buffer>): Promise<null> {
  for await (const _ of bytes);
  return null;
}
