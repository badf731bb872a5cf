/**
 * Tells a text's encoding by its bytes. The evidence is gathered in one pass over the whole file, in memory that doesn't
 * grow with it; the choice is made from the evidence alone: a byte order mark, UTF-16 by its NULs, UTF-8 by its
 * sequences, and else one of three single-byte encodings by the letters around the bytes in which they differ. Where
 * the bytes allow two readings the file is refused; a choice on thin evidence comes with a note that names the line.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Format } from '../config/job-definition.ts';
import type { Encoding } from '../model/source.ts';
import { completeLength, nulProblem, utf8SequenceAt } from './decode.ts';
import { isReport } from './report-file.ts';

/** A finding about a text's bytes, in words for people; `at` is the offset whose line the words name. */
export type Finding = { readonly at: number; readonly words: (line: number) => string };

/** An encoding with notes on what speaks for it, or why none can be told. */
type Choice =
  | { readonly kind: 'chosen'; readonly encoding: Encoding; readonly notes: readonly Finding[] }
  | { readonly kind: 'refused'; readonly why: Finding };

/** The encoding that the definition names, where the bytes allow it, else the one that they tell; `head` is the text's beginning. */
export function chooseEncoding(evidence: ByteEvidence, head: Buffer, wanted: Format['encoding']): Choice {
  const mark = markOf(head);
  if (mark === 'utf-32') return refuseWhole('the text is utf-32: expected utf-8; save it again as utf-8');
  if (wanted === 'auto') return mark === null ? find(evidence) : accept(mark, evidence);
  if (isReport(head.toString('latin1')) && isReadAsUtf8(evidence, mark)) return report(wanted);
  if (mark !== null && mark !== wanted)
    return contradiction(wanted, `begins with the byte order mark of ${mark}`);
  if (wanted === 'utf-16le' || wanted === 'utf-16be') return utf16(wanted, evidence);
  if (evidence.firstNul !== -1) return noText(evidence);
  return wanted === 'utf-8' ? accept(wanted, evidence) : singleByte(wanted, evidence);
}

/** The encoding of the byte order mark that the text begins with. */
function markOf(head: Buffer): Encoding | 'utf-32' | null {
  const start = head.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'utf-32';
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : null;
}

function find(evidence: ByteEvidence): Choice {
  const order = byteOrder(evidence);
  if (order !== null) {
    const note = `The text has no byte order mark and is read as ${order}, since every second byte of it is NUL as a rule.`;
    return { kind: 'chosen', encoding: order, notes: [{ at: 0, words: () => note }] };
  }
  if (evidence.firstNul !== -1) return noText(evidence);
  return evidence.invalid === 0 || evidence.hasUtf8 ? accept('utf-8', evidence) : chooseSingleByte(evidence);
}

/** The byte order of UTF-16, in which most units are plain letters with a NUL as upper byte; text with a stray NUL has far fewer. */
function byteOrder({ bytes, nuls: [even, odd] }: ByteEvidence): 'utf-16le' | 'utf-16be' | null {
  const half = bytes / 2 / 2;
  // Characters such as Ā (U+0100) have a NUL in the other place.
  if (odd > half && odd > 4 * even) return 'utf-16le';
  return even > half && even > 4 * odd ? 'utf-16be' : null;
}

function noText(evidence: ByteEvidence): Choice {
  const order = byteOrder(evidence);
  return order === null
    ? refuseNul(evidence.firstNul)
    : refuseWhole(`the text looks like ${order}: expected what format.encoding says; correct or remove it`);
}

function isReadAsUtf8({ invalid, firstNul }: ByteEvidence, mark: Encoding | null): boolean {
  return invalid === 0 && firstNul === -1 && (mark === null || mark === 'utf-8');
}

/** Reports are written in UTF-8 whatever their input was in, and loaded again with the same definition. */
function report(wanted: Encoding): Choice {
  const note = `The file is a report, and reports are in utf-8: it is read as that, not as ${wanted}.`;
  const notes = wanted === 'utf-8' ? [] : [{ at: 0, words: () => note }];
  return { kind: 'chosen', encoding: 'utf-8', notes };
}

function utf16(wanted: 'utf-16le' | 'utf-16be', { nuls: [even, odd] }: ByteEvidence): Choice {
  const [right, wrong] = wanted === 'utf-16le' ? [odd, even] : [even, odd];
  if (wrong > right) return contradiction(wanted, 'has its NUL bytes where the other byte order has them');
  // UTF-16 without a NUL byte would have neither a line end nor a delimiter.
  if (right === 0) return contradiction(wanted, 'has none of the NUL bytes that any text in it has');
  return { kind: 'chosen', encoding: wanted, notes: [] };
}

function singleByte(wanted: Encoding, { hasUtf8, invalid }: ByteEvidence): Choice {
  const note = `The text is read as ${wanted}, as format.encoding says, but all of it is valid utf-8: if accented letters come out as two signs, remove format.encoding.`;
  const notes: Finding[] = hasUtf8 && invalid === 0 ? [{ at: 0, words: () => note }] : [];
  return { kind: 'chosen', encoding: wanted, notes };
}

function contradiction(wanted: Encoding, what: string): Choice {
  return refuseWhole(
    `the text is not ${wanted}, as format.encoding says: it ${what}; correct format.encoding or remove it`,
  );
}

/** Takes the encoding although some bytes are no part of it: their rows can't be read, and a note says how many there are. */
function accept(encoding: Encoding, { invalid, firstInvalid, firstNul }: ByteEvidence): Choice {
  if (encoding !== 'utf-8') return { kind: 'chosen', encoding, notes: [] };
  if (firstNul !== -1) return refuseNul(firstNul);
  const words = (line: number) =>
    `The text is read as utf-8, but ${invalid} of its bytes, the first on line ${line}, are none of it: their rows can't be read. If most of it is in another encoding, set format.encoding.`;
  return { kind: 'chosen', encoding, notes: invalid === 0 ? [] : [{ at: firstInvalid, words }] };
}

function refuseNul(at: number): Choice {
  return refuseWhole(nulProblem(at + 1));
}

function refuseWhole(why: string): Choice {
  return { kind: 'refused', why: { at: 0, words: () => why } };
}

/**
 * Tells windows-1252, iso-8859-1 and iso-8859-15 apart. They differ in the bytes 80 to 9F, which only windows-1252 has
 * characters for, and in eight more, whose neighbours tell which of two characters is meant.
 */
function chooseSingleByte(evidence: ByteEvidence): Choice {
  const found = [...evidence.contexts]
    .map(([key, at]) => ({ ...contextOf(key), at }))
    .sort((a, b) => a.at - b.at);
  const misfit = found.find(isMisfit);
  const [first] = found;
  if (first !== undefined && isForeign(evidence)) return refuseAt(first.at, FOREIGN);
  if (misfit !== undefined) return refuseAt(misfit.at, inWord(misfit.byte));
  const windows = found.find(({ byte }) => byte < 0xa0 && !UNDEFINED.has(byte));
  if (windows !== undefined) return choose('windows-1252', windows.at, only(windows.byte));
  const telling = found.filter(({ byte }) => DIFFERENT.has(byte));
  if (telling.length > 0) return weigh(telling);
  const stray = found.find(({ byte }) => UNDEFINED.has(byte));
  return stray === undefined
    ? choose('windows-1252', first?.at ?? 0, () => ALIKE)
    : choose('windows-1252', stray.at, without(stray.byte));
}

/** Bytes that have no character even in windows-1252: their rows can't be read. */
const UNDEFINED: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

type Found = ByteContext & { readonly at: number };

/** Western words hardly have two accented letters in a row; of Cyrillic or Chinese text nearly all bytes are high. */
function isForeign({ invalid, adjacent, longestRun }: ByteEvidence): boolean {
  return longestRun >= 4 || (invalid >= 4 && adjacent * 4 >= invalid * 3);
}

function weigh(telling: readonly Found[]): Choice {
  const latin9 = telling.find((context) => vote(context) === 'iso-8859-15');
  const western = telling.find((context) => vote(context) === 'windows-1252');
  if (latin9 !== undefined && western === undefined)
    return choose('iso-8859-15', latin9.at, meant(latin9, 1));
  if (western !== undefined && latin9 === undefined)
    return choose('windows-1252', western.at, meant(western, 0));
  const [first] = latin9 === undefined ? telling : [latin9];
  return refuseAt(first?.at ?? 0, twoReadings(first?.byte ?? 0));
}

function choose(encoding: Encoding, at: number, words: Finding['words']): Choice {
  return { kind: 'chosen', encoding, notes: [{ at, words }] };
}

function refuseAt(at: number, words: Finding['words']): Choice {
  return { kind: 'refused', why: { at, words } };
}

/** The bytes that iso-8859-15 reads in another way than windows-1252 and iso-8859-1. */
const DIFFERENT: ReadonlyMap<number, readonly [western: string, latin9: string]> = new Map([
  [0xa4, ['¤', '€']],
  [0xa6, ['¦', 'Š']],
  [0xa8, ['¨', 'š']],
  [0xb4, ['´', 'Ž']],
  [0xb8, ['¸', 'ž']],
  [0xbc, ['¼', 'Œ']],
  [0xbd, ['½', 'œ']],
  [0xbe, ['¾', 'Ÿ']],
]);

/** The encoding that the neighbours of a telling byte speak for; `null` where both characters could stand there. */
function vote(context: ByteContext): Encoding | null {
  const { byte, before } = context;
  if (byte === 0xa4) return 'iso-8859-15'; // Hardly anybody writes ¤.
  if (byte === 0xb4) return null; // In a word ´ may be an apostrophe.
  if (before === 'digit') return FRACTIONS.has(byte) ? 'windows-1252' : null;
  return isLetterOfWord(context) ? 'iso-8859-15' : null;
}

/** ¼ ½ ¾ */
const FRACTIONS: ReadonlySet<number> = new Set([0xbc, 0xbd, 0xbe]);

function isLetterOfWord({ byte, before, after }: ByteContext): boolean {
  if (byte === 0xbd) return isLetter(before) && isLetter(after); // Otherwise ½ may stand before its unit.
  if (!CAPITALS_OR_SIGNS.has(byte)) return isLetter(before) || isLetter(after);
  return before === 'upper' || (isLetter(after) && before !== 'lower');
}

/** Whether the byte stands where none of its characters can, so that the text is in yet another encoding. */
function isMisfit({ byte, before, after }: ByteContext): boolean {
  if (CAPITALS.has(byte)) return before === 'lower';
  if (CAPITALS_OR_SIGNS.has(byte)) return before === 'lower' && isLetter(after);
  return NEVER_IN_WORDS.has(byte) && isLetter(before) && isLetter(after);
}

/** Signs of windows-1252 that stand between two letters only where the bytes are of another encoding (DOS, Mac, central Europe). */
const NEVER_IN_WORDS: ReadonlySet<number> = new Set([
  0x82, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x93, 0x94, 0x95, 0x98, 0x9b, 0xa1, 0xa3, 0xa4, 0xa5, 0xaf, 0xb1,
  0xb3, 0xb6, 0xb9, 0xbf,
]);

/** Š Œ Ž Ÿ: capitals don't follow a small letter. */
const CAPITALS: ReadonlySet<number> = new Set([0x8a, 0x8c, 0x8e, 0x9f]);

/** Capitals in iso-8859-15 and signs in windows-1252. */
const CAPITALS_OR_SIGNS: ReadonlySet<number> = new Set([0xa6, 0xbc, 0xbe]);

const ALIKE =
  'The text is not utf-8 and is read as windows-1252; iso-8859-1 and iso-8859-15 would read all of it the same way. If it is in yet another encoding, save it as utf-8.';

function only(byte: number): Finding['words'] {
  return (line) =>
    `The text is not utf-8 and is read as windows-1252, the only encoding of its kind that has a character for the byte ${hex(byte)} (line ${line}). If that is wrong, set format.encoding.`;
}

function without(byte: number): Finding['words'] {
  return (line) =>
    `The text is not utf-8 and is read as windows-1252, although the byte ${hex(byte)} (line ${line}) has no character there, so that its row can't be read. If that is wrong, set format.encoding or save the file as utf-8.`;
}

function meant({ byte }: Found, index: 0 | 1): Finding['words'] {
  const [western = '', latin9 = ''] = DIFFERENT.get(byte) ?? [];
  const [is, not] = index === 0 ? [western, latin9] : [latin9, western];
  const name = index === 0 ? 'windows-1252 (iso-8859-1 would read it the same way)' : 'iso-8859-15';
  return (line) =>
    `The text is not utf-8 and is read as ${name}: the byte ${hex(byte)} on line ${line} fits as ${is}, not as ${not}. If that is wrong, set format.encoding.`;
}

function twoReadings(byte: number): Finding['words'] {
  const [western, latin9] = DIFFERENT.get(byte) ?? [];
  return (line) =>
    `the byte ${hex(byte)} on line ${line} is ${western} in windows-1252 and iso-8859-1 but ${latin9} in iso-8859-15, and the text doesn't tell which is meant: ${SAY_WHICH}`;
}

function inWord(byte: number): Finding['words'] {
  return (line) =>
    `the byte ${hex(byte)} stands within a word on line ${line}, where no encoding that can be told has a letter for it: ${SAY_WHICH}`;
}

const FOREIGN: Finding['words'] = (line) =>
  `the text is not utf-8, and its bytes from line ${line} on look like another alphabet's: expected utf-8; save it as utf-8 (in Excel: "CSV UTF-8"), or set format.encoding if it is one of those that can be read`;

const SAY_WHICH =
  'expected one encoding that fits; set format.encoding, or save the file as utf-8 (in Excel: "CSV UTF-8")';

function hex(byte: number): string {
  return `0x${byte.toString(16).toUpperCase()}`;
}

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
  /** How many of the invalid bytes follow a byte from 80 on. */
  readonly adjacent: number;
  /** The most accented letters in a row, each taken for one byte. */
  readonly longestRun: number;
  /** The first offset of each context of an invalid byte, by `contextKey`. */
  readonly contexts: ReadonlyMap<number, number>;
};

/** Takes a text block by block; the cuts between the blocks make no difference. */
type EvidenceGatherer = {
  add(block: Buffer): void;
  /** Call once, after the last block. */
  end(): ByteEvidence;
};

type Gathering = {
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

/** Bytes after a byte that must be there before it is judged: the longest sequence that it may begin. */
const AHEAD = 3;

export function createEvidenceGatherer(): EvidenceGatherer {
  const state: Gathering = {
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
      carry = Buffer.from(all.subarray(judge(state, all)));
    },
    end() {
      scan(state, carry, carry.length);
      const { offset, before, run, ...evidence } = state;
      return { ...evidence, bytes };
    },
  };
}

function countNuls(state: Gathering, block: Buffer, offset: number): void {
  const first = block.indexOf(0);
  if (first === -1) return;
  if (state.firstNul === -1) state.firstNul = offset + first;
  for (let i = first; i < block.length; i += 1) {
    if (block[i] === 0) state.nuls[(offset + i) % 2 === 0 ? 0 : 1] += 1;
  }
}

/** Judges as many bytes as can be judged, and answers their number. Files in UTF-8 never leave the fast path. */
function judge(state: Gathering, bytes: Buffer): number {
  const length = completeLength(bytes);
  const complete = bytes.subarray(0, length);
  if (!isUtf8(complete)) return scan(state, bytes, bytes.length - AHEAD);
  state.hasUtf8 ||= length > 0 && !isAscii(complete);
  state.offset += length;
  state.before = complete[length - 1] ?? state.before;
  return length;
}

function scan(state: Gathering, bytes: Buffer, end: number): number {
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

function noteInvalid(state: Gathering, bytes: Buffer, at: number): void {
  if (state.firstInvalid === -1) state.firstInvalid = state.offset + at;
  state.invalid += 1;
  noteContext(state, bytes, at);
}

/** The file ends within a sequence: its bytes may be UTF-8 that was cut off, or characters of one byte each. */
function noteCut(state: Gathering, bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    noteContext(state, bytes, at);
    state.before = bytes[at] ?? SPACE;
  }
  state.offset += bytes.length;
  return bytes.length;
}

function noteContext(state: Gathering, bytes: Buffer, at: number): void {
  if (state.before >= 0x80) state.adjacent += 1;
  const before = neighbourOf(state.before);
  const byte = bytes[at] ?? 0;
  state.run = neighbourOf(byte) !== ACCENTED ? 0 : before === ACCENTED ? state.run + 1 : 1;
  state.longestRun = Math.max(state.longestRun, state.run);
  const key = contextKey(byte, before, neighbourOf(bytes[at + 1] ?? SPACE));
  if (!state.contexts.has(key)) state.contexts.set(key, state.offset + at);
}

/** What stands before or after a byte: `accented` is a letter from C0 on, the same in all three single-byte encodings. */
const NEIGHBOURS = ['other', 'digit', 'lower', 'upper', 'accented'] as const;

type Neighbour = (typeof NEIGHBOURS)[number];

/** The place of `accented` in the list. */
const ACCENTED = 4;

/** A byte from 80 on with its neighbours. */
type ByteContext = { readonly byte: number; readonly before: Neighbour; readonly after: Neighbour };

/** The neighbour's place in the list, which is what `contextKey` takes. */
function neighbourOf(byte: number): number {
  if (byte >= 0xc0) return byte === 0xd7 || byte === 0xf7 ? 0 : ACCENTED;
  if (byte >= 0x61 && byte <= 0x7a) return 2;
  if (byte >= 0x41 && byte <= 0x5a) return 3;
  return byte >= 0x30 && byte <= 0x39 ? 1 : 0;
}

/** A context as a number, so that the contexts of a file take no object each. */
function contextKey(byte: number, before: number, after: number): number {
  return (byte << 8) | (before << 4) | after;
}

function contextOf(key: number): ByteContext {
  return {
    byte: key >> 8,
    before: NEIGHBOURS[(key >> 4) & 15] ?? 'other',
    after: NEIGHBOURS[key & 15] ?? 'other',
  };
}

function isLetter(neighbour: Neighbour): boolean {
  return neighbour !== 'other' && neighbour !== 'digit';
}
