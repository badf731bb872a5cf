import { createHash } from 'node:crypto';
import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Encoding } from '../model/source.ts';
import { type ByteEvidence, createEvidenceGatherer } from './byte-evidence.ts';
import { chooseEncoding } from './choose-encoding.ts';
import { type Container, containerOf, refuseNested, SIGNATURE_BYTES } from './container.ts';
import { type Finding, lineAt } from './finding.ts';
import { gunzip } from './gunzip.ts';
import { createLineEndWatch } from './line-end-watch.ts';
import { fileBytes } from './open-input.ts';

/** How a file's bytes become text. */
export type Reading = {
  readonly container: Container;
  /** Of a workbook, which says it itself: utf-8. */
  readonly encoding: Encoding;
  /** What was decided on thin evidence, in words for people; no cell values. */
  readonly notes: readonly string[];
  /** The last line has no end, though others have. */
  readonly isUnended?: true;
};

/** What one reading of all bytes found out, before the file is understood. */
export type Inspected = Reading & {
  /** Of the file as it lies there; lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
};

/** Opens the bytes from their beginning. */
export type OpenBytes = () => AsyncGenerator<Buffer>;

/** Reads a file once to its end and tells how to read it, so that every later reading agrees. UsageError where that can't be told. */
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
    const text = container === 'workbook' ? await drain(all) : await readText(all, { path, container });
    const openText = () => unpack(open(), container, path);
    const chosen = text === null ? WORKBOOK : await choose(text, { openText, path, format });
    return { container, ...chosen, sha256: hash.digest('hex'), bytes };
  } finally {
    await raw.return(undefined);
  }
}

/** The bytes of the text in a file of that kind. */
export function unpack(bytes: AsyncGenerator<Buffer>, container: Container, path: string) {
  return container === 'gzip' ? gunzip(bytes, path) : bytes;
}

const WORKBOOK = { encoding: 'utf-8', notes: [] } as const;

/** As much of a text as the marks that tell a report are looked for in. */
const HEAD_BYTES = 64 * 1024;

type Text = { readonly evidence: ByteEvidence; readonly head: Buffer; readonly isUnended: boolean };

async function readText(
  raw: AsyncGenerator<Buffer>,
  { path, container }: { readonly path: string; readonly container: Container },
): Promise<Text> {
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

async function choose(
  { evidence, head, isUnended }: Text,
  {
    openText,
    path,
    format,
  }: { readonly openText: OpenBytes; readonly path: string; readonly format: Format },
): Promise<Omit<Reading, 'container'>> {
  const inWords = async ({ at, words }: Finding) => words(await lineAt(openText(), at));
  const choice = chooseEncoding(evidence, head, format.encoding);
  if (choice.kind === 'refused') throw new UsageError(`${path}: ${await inWords(choice.why)}`);
  const notes = await Promise.all(choice.notes.map(inWords));
  return { encoding: choice.encoding, notes, ...(isUnended ? { isUnended } : {}) };
}

/** The first bytes, `length` of them where there are so many, and all bytes from the first on. */
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
