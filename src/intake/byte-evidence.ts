import { isAscii, isUtf8 } from 'node:buffer';
import { ACCENTED, contextKey, neighbourOf } from './byte-context.ts';
import { completeLength, utf8SequenceAt } from './utf8-sequence.ts';

/** What the bytes of a whole text tell of its encoding; offsets count from 0, and -1 means that there is none. */
export type ByteEvidence = {
  readonly bytes: number;
  /** NUL bytes at even and odd offsets, which tell the byte order of UTF-16. */
  readonly nuls: readonly [even: number, odd: number];
  readonly firstNul: number;
  /** Whether there is a character of several bytes in UTF-8. */
  readonly hasUtf8: boolean;
  /** Bytes that are no part of UTF-8. */
  readonly invalid: number;
  readonly firstInvalid: number;
  /** How many of them follow a byte from 80 on. */
  readonly adjacent: number;
  /** The most accented letters in a row, if all of them are of one byte. */
  readonly longestRun: number;
  /** Where each context of such bytes occurs first; the keys are those of `contextKey`. */
  readonly contexts: ReadonlyMap<number, number>;
};

/** Takes a text block by block; the cuts between the blocks make no difference. */
export type EvidenceGatherer = {
  add(block: Buffer): void;
  /** Call once, after the last block. */
  end(): ByteEvidence;
};

type State = {
  offset: number;
  readonly nuls: [number, number];
  firstNul: number;
  hasUtf8: boolean;
  invalid: number;
  firstInvalid: number;
  adjacent: number;
  run: number;
  longestRun: number;
  readonly contexts: Map<number, number>;
  /** The byte before `offset`. */
  before: number;
};

const SPACE = 0x20;
/** A byte is judged once the longest sequence that it may begin is there. */
const AHEAD = 3;

export function createEvidenceGatherer(): EvidenceGatherer {
  const state: State = {
    offset: 0,
    nuls: [0, 0],
    firstNul: -1,
    hasUtf8: false,
    invalid: 0,
    firstInvalid: -1,
    adjacent: 0,
    run: 0,
    longestRun: 0,
    contexts: new Map(),
    before: SPACE,
  };
  let carry = Buffer.alloc(0);
  let bytes = 0;
  return {
    add(block) {
      countNuls(state, block, bytes);
      bytes += block.length;
      const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
      carry = Buffer.from(all.subarray(take(state, all)));
    },
    end() {
      scan(state, carry, carry.length);
      const { offset, before, run, ...evidence } = state;
      return { ...evidence, bytes };
    },
  };
}

function countNuls(state: State, block: Buffer, offset: number): void {
  const first = block.indexOf(0);
  if (first === -1) return;
  if (state.firstNul === -1) state.firstNul = offset + first;
  for (let i = first; i < block.length; i += 1) {
    if (block[i] === 0) state.nuls[(offset + i) % 2 === 0 ? 0 : 1] += 1;
  }
}

/** Judges what can be judged; answers how many bytes that were. Files in UTF-8 never leave the fast way. */
function take(state: State, bytes: Buffer): number {
  const length = completeLength(bytes);
  const complete = bytes.subarray(0, length);
  if (!isUtf8(complete)) return scan(state, bytes, bytes.length - AHEAD);
  state.hasUtf8 ||= length > 0 && !isAscii(complete);
  state.offset += length;
  state.before = complete[length - 1] ?? state.before;
  return length;
}

function scan(state: State, bytes: Buffer, end: number): number {
  let at = 0;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    const length = byte < 0x80 ? 1 : utf8SequenceAt(bytes, at);
    if (length === 'cut') return noteCut(state, bytes, at);
    if (length === 0) noteInvalid(state, bytes, at);
    else if (length > 1) state.hasUtf8 = true;
    at += Math.max(1, length);
    state.before = bytes[at - 1] ?? SPACE;
  }
  state.offset += at;
  return at;
}

function noteInvalid(state: State, bytes: Buffer, at: number): void {
  if (state.firstInvalid === -1) state.firstInvalid = state.offset + at;
  state.invalid += 1;
  noteContext(state, bytes, at);
}

/** The file ends within a sequence: that is UTF-8 cut off as well as a few characters of one byte. */
function noteCut(state: State, bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    noteContext(state, bytes, at);
    state.before = bytes[at] ?? SPACE;
  }
  state.offset += bytes.length;
  return bytes.length;
}

function noteContext(state: State, bytes: Buffer, at: number): void {
  if (state.before >= 0x80) state.adjacent += 1;
  const before = neighbourOf(state.before);
  const byte = bytes[at] ?? 0;
  state.run = neighbourOf(byte) !== ACCENTED ? 0 : before === ACCENTED ? state.run + 1 : 1;
  state.longestRun = Math.max(state.longestRun, state.run);
  const key = contextKey(byte, before, neighbourOf(bytes[at + 1] ?? SPACE));
  if (!state.contexts.has(key)) state.contexts.set(key, state.offset + at);
}
