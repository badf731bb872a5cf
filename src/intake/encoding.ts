/**
 * Tells a text's encoding by its bytes, or refuses to: a byte order mark says it, UTF-16 shows by
 * its NULs, and UTF-8 by its sequences. Anything else has to be named by the job definition, since
 * the bytes of one encoding are names in another: the refusal shows how the likeliest encodings
 * read the line where the text stops being UTF-8.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import type { Format } from '../config/job-definition.ts';
import { printable } from '../lib/terminal.ts';
import { ENCODINGS, type Encoding } from '../model/source.ts';
import { completeLength, nulProblem, utf8SequenceAt } from './decode.ts';
import { isReport } from './report-file.ts';

/** An encoding with notes on what speaks for it, or why there is none. */
type Choice =
  | { readonly kind: 'chosen'; readonly encoding: Encoding; readonly note: Finding | null }
  | { readonly kind: 'refused'; readonly why: string }
  /** The job definition has to say which; `at` is the offset of the first byte that is not UTF-8. */
  | { readonly kind: 'untold'; readonly at: number; readonly isPartlyUtf8: boolean };

/** A finding about a text's bytes, in words for people; `at` is the offset whose line the words name. */
type Finding = { readonly at: number; readonly words: (line: number) => string };

/** The encoding that the definition names, where the bytes allow it, else the one that they tell. */
export function chooseEncoding(evidence: ByteEvidence, head: Buffer, wanted: Format['encoding']): Choice {
  const mark = markOf(head);
  if (mark === 'utf-32') return refused('the text is utf-32: expected utf-8; save it again as utf-8');
  if (wanted === 'auto') return mark === null ? find(evidence) : accept(mark, evidence);
  if (isReport(head.toString('latin1')) && isReadAsUtf8(evidence, mark)) return report(wanted);
  if (mark !== null && mark !== wanted)
    return contradiction(wanted, `begins with the byte order mark of ${mark}`);
  if (wanted === 'utf-16le' || wanted === 'utf-16be') return utf16(wanted, evidence);
  if (evidence.firstNul !== -1) return noText(evidence);
  return wanted === 'utf-8' ? accept(wanted, evidence) : other(wanted, evidence);
}

/** The encoding of the byte order mark that the text begins with. */
function markOf(head: Buffer): Encoding | null {
  const start = head.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'utf-32';
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : null;
}

function find(evidence: ByteEvidence): Choice {
  const order = byteOrder(evidence);
  if (order !== null) {
    return chosen(
      order,
      `The text has no byte order mark and is read as ${order}, since every second byte of it is NUL as a rule.`,
    );
  }
  const { firstNul, firstInvalid, hasUtf8 } = evidence;
  if (firstNul !== -1) return noText(evidence);
  return firstInvalid === -1 ? chosen('utf-8') : { kind: 'untold', at: firstInvalid, isPartlyUtf8: hasUtf8 };
}

/** The byte order of UTF-16, in which most units are plain letters with a NUL as upper byte. */
function byteOrder({ bytes, nuls: [even, odd] }: ByteEvidence): 'utf-16le' | 'utf-16be' | null {
  const half = bytes / 2 / 2;
  // Characters such as Ā (U+0100) have a NUL in the other place.
  if (odd > half && odd > 4 * even) return 'utf-16le';
  return even > half && even > 4 * odd ? 'utf-16be' : null;
}

function noText(evidence: ByteEvidence): Choice {
  const order = byteOrder(evidence);
  return refused(
    order === null
      ? nulProblem(evidence.firstNul + 1)
      : `the text looks like ${order}: expected what format.encoding says; correct or remove it`,
  );
}

function isReadAsUtf8({ firstInvalid, firstNul }: ByteEvidence, mark: Encoding | null): boolean {
  return firstInvalid === -1 && firstNul === -1 && (mark === null || mark === 'utf-8');
}

/** Reports are written in UTF-8 whatever their input was in, and loaded again with the same definition. */
function report(wanted: Encoding): Choice {
  if (wanted === 'utf-8') return chosen('utf-8');
  return chosen(
    'utf-8',
    `The file is a report, and reports are in utf-8: it is read as that, not as ${wanted}.`,
  );
}

function utf16(wanted: 'utf-16le' | 'utf-16be', { nuls: [even, odd] }: ByteEvidence): Choice {
  const [right, wrong] = wanted === 'utf-16le' ? [odd, even] : [even, odd];
  if (wrong > right) return contradiction(wanted, 'has its NUL bytes where the other byte order has them');
  // UTF-16 without a NUL byte would have neither a line end nor a delimiter.
  if (right === 0) return contradiction(wanted, 'has none of the NUL bytes that any text in it has');
  return chosen(wanted);
}

function other(wanted: Encoding, { hasUtf8, firstInvalid }: ByteEvidence): Choice {
  if (!hasUtf8 || firstInvalid !== -1) return chosen(wanted);
  return chosen(
    wanted,
    `The text is read as ${wanted}, as format.encoding says, but all of it is valid utf-8: ` +
      'if accented letters come out as two signs, remove format.encoding.',
  );
}

function contradiction(wanted: Encoding, what: string): Choice {
  return refused(
    `the text is not ${wanted}, as format.encoding says: it ${what}; correct format.encoding or remove it`,
  );
}

/** Takes the encoding that is named although some bytes are no part of it. */
function accept(encoding: Encoding, { firstInvalid, firstNul }: ByteEvidence): Choice {
  if (encoding !== 'utf-8') return chosen(encoding);
  if (firstNul !== -1) return refused(nulProblem(firstNul + 1));
  if (firstInvalid === -1) return chosen(encoding);
  const words = (line: number) =>
    `The text is read as utf-8, but has bytes that are none of it, the first on line ${line}: ` +
    "their rows can't be read. If most of it is in another encoding, set format.encoding.";
  return { kind: 'chosen', encoding, note: { at: firstInvalid, words } };
}

function chosen(encoding: Encoding, note?: string): Choice {
  return { kind: 'chosen', encoding, note: note === undefined ? null : { at: 0, words: () => note } };
}

function refused(why: string): Choice {
  return { kind: 'refused', why };
}

/** A text that is not UTF-8: the first line that tells it, and its bytes near there. */
type Untold = { readonly line: number; readonly bytes: Buffer; readonly isPartlyUtf8: boolean };

/** Why such a text is refused. `isShown`: with how that line reads in the likeliest encodings. */
export function untold({ line, bytes, isPartlyUtf8 }: Untold, isShown: boolean): string {
  const likely = readingsOf(bytes).map(({ encoding, text }) =>
    isShown ? `${encoding} ("${text}")` : encoding,
  );
  const words = isShown
    ? `, which the likeliest read so: ${likely.join(', ')}`
    : `, most likely ${likely.join(' or ')} (\`onboard preview <file>\` shows how each reads it)`;
  const shown = likely.length === 0 ? '' : words;
  const damaged = isPartlyUtf8
    ? '; or, where only some rows are in another encoding, format.encoding: utf-8, which leaves those rows out'
    : '';
  return (
    `line ${line} is not utf-8: expected format.encoding to name the encoding that has its letters` +
    `${shown}; or save the file as utf-8 (in Excel: "CSV UTF-8")${damaged}`
  );
}

const MOST_READINGS = 5;

type Reading = { readonly encoding: string; readonly text: string };

function readingsOf(bytes: Buffer): readonly Reading[] {
  const all = ENCODINGS.filter((encoding) => !encoding.startsWith('utf'))
    .map((encoding) => ({ encoding, text: iconv.decode(bytes, encoding) }))
    .filter(({ text }) => !NO_TEXT.test(text))
    .map(({ encoding, text }) => ({ encoding, odd: (text.match(ODD) ?? []).length, text: nearLetters(text) }))
    .sort((a, b) => a.odd - b.odd);
  return all
    .filter(({ text }, at) => all.findIndex((one) => one.text === text) === at)
    .slice(0, MOST_READINGS);
}

/** Bytes without a character, and control characters that no text has. */
const NO_TEXT = /[\uFFFD\u0080-\u009F]/;

/** What words seldom have, beyond ASCII. */
const ODD = new RegExp(
  [
    '(?<=\\p{L})[^\\p{ASCII}\\p{L}\\p{M}]', // a sign behind a letter
    '[^\\p{ASCII}\\p{L}\\p{M}](?=\\p{L})', // or before one
    '(?<=\\p{Ll})(?!\\p{ASCII})\\p{Lu}', // a capital behind a small letter
    '(?<=\\p{sc=Latn})(?!\\p{sc=Latn})\\p{L}', // letters of two scripts side by side
    '(?<=\\p{L})(?<!\\p{sc=Latn})\\p{sc=Latn}',
  ].join('|'),
  'gu',
);

/** The part of a line that the encodings read in different ways. */
function nearLetters(line: string): string {
  const at = line.search(/[^\p{ASCII}]/u);
  const from = Math.max(0, at - SHOWN / 2);
  return printable(line.slice(from, from + SHOWN).trim());
}

const SHOWN = 40;

/** What the bytes of a whole text tell of its encoding; offsets count from 0, and -1 means that there is none. */
export type ByteEvidence = {
  readonly bytes: number;
  /** NUL bytes at even and odd offsets, which tell the byte order of UTF-16. */
  readonly nuls: readonly [even: number, odd: number];
  readonly firstNul: number;
  /** Whether there is a character of several bytes in UTF-8, before any byte that is none of it. */
  readonly hasUtf8: boolean;
  /** The first byte that is no part of UTF-8. */
  readonly firstInvalid: number;
};

/** Takes a text block by block; the cuts between the blocks make no difference. */
type EvidenceGatherer = {
  add(block: Buffer): void;
  /** Call once, after the last block. */
  end(): ByteEvidence;
};

export function createEvidenceGatherer(): EvidenceGatherer {
  const nuls: [number, number] = [0, 0];
  const evidence = { bytes: 0, nuls, firstNul: -1, hasUtf8: false, firstInvalid: -1 };
  let carry = Buffer.alloc(0);
  return {
    add(block) {
      countNuls(evidence, block);
      const all = carry.length === 0 ? block : Buffer.concat([carry, block]);
      const length = completeLength(all);
      judge(evidence, all.subarray(0, length), evidence.bytes - carry.length);
      carry = Buffer.from(all.subarray(length));
      evidence.bytes += block.length;
    },
    end() {
      // The file ends within a sequence.
      if (carry.length > 0 && evidence.firstInvalid === -1)
        evidence.firstInvalid = evidence.bytes - carry.length;
      return evidence;
    },
  };
}

type Gathered = { -readonly [K in keyof ByteEvidence]: ByteEvidence[K] } & {
  readonly nuls: [number, number];
};

function countNuls(evidence: Gathered, block: Buffer): void {
  const first = block.indexOf(0);
  if (first === -1) return;
  if (evidence.firstNul === -1) evidence.firstNul = evidence.bytes + first;
  for (let i = first; i < block.length; i += 1) {
    if (block[i] === 0) evidence.nuls[(evidence.bytes + i) % 2 === 0 ? 0 : 1] += 1;
  }
}

/** Files in UTF-8 never leave the fast path. */
function judge(evidence: Gathered, bytes: Buffer, offset: number): void {
  if (evidence.firstInvalid !== -1) return;
  const valid = isUtf8(bytes) ? bytes.length : validLength(bytes);
  evidence.hasUtf8 ||= valid > 0 && !isAscii(bytes.subarray(0, valid));
  if (valid < bytes.length) evidence.firstInvalid = offset + valid;
}

/** How many bytes there are before the first that is no UTF-8. */
function validLength(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = (bytes[at] ?? 0) < 0x80 ? 1 : utf8SequenceAt(bytes, at);
    if (length === 'cut' || length === 0) return at;
    at += length;
  }
  return at;
}
