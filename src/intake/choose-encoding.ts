import type { Format } from '../config/job-definition.ts';
import type { Encoding } from '../model/source.ts';
import { REPORT_MEMBER, REPORT_ROW_COLUMN } from '../model/source.ts';
import type { ByteEvidence } from './byte-evidence.ts';
import type { Finding } from './finding.ts';
import { type Choice, chooseSingleByte } from './single-byte.ts';

/** The encoding that the definition names, as far as the bytes allow it, else the one that they tell; `head` is the text's beginning. */
export function chooseEncoding(evidence: ByteEvidence, head: Buffer, wanted: Format['encoding']): Choice {
  const mark = markOf(head);
  if (mark === 'utf-32') return refuse('the text is utf-32: expected utf-8; save it again as utf-8');
  if (wanted === 'auto') return mark === null ? find(evidence) : accept(mark, evidence);
  if (isReport(head) && isUtf8(evidence, mark)) return report(wanted);
  if (mark !== null && mark !== wanted)
    return contradiction(wanted, `begins with the byte order mark of ${mark}`);
  if (wanted === 'utf-16le' || wanted === 'utf-16be') return utf16(wanted, evidence);
  if (evidence.firstNul !== -1) return noText(evidence);
  return wanted === 'utf-8' ? accept(wanted, evidence) : singleByte(wanted, evidence);
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

/** The encoding of the byte order mark that the text begins with. */
function markOf(head: Buffer): Encoding | 'utf-32' | null {
  const start = head.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'utf-32';
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : null;
}

/** The byte order of UTF-16 where most of its units are plain letters and signs, whose upper byte is NUL; a stray NUL in other text is far from that. */
function byteOrder({ bytes, nuls: [even, odd] }: ByteEvidence): 'utf-16le' | 'utf-16be' | null {
  const half = bytes / 2 / 2;
  // Characters such as Ā (U+0100) have a NUL in the other place.
  if (odd > half && odd > 4 * even) return 'utf-16le';
  return even > half && even > 4 * odd ? 'utf-16be' : null;
}

/** The row of a byte that is no part of the encoding can't be read; a file with some of both is told from a single-byte one that way. */
function accept(encoding: Encoding, { invalid, firstInvalid, firstNul }: ByteEvidence): Choice {
  if (encoding !== 'utf-8') return { kind: 'chosen', encoding, notes: [] };
  if (firstNul !== -1) return refuseNul(firstNul);
  const words = (line: number) =>
    `The text is read as utf-8, but ${invalid} of its bytes, the first on line ${line}, are none of it: their rows can't be read. If most of it is in another encoding, set format.encoding (preview: --encoding).`;
  return { kind: 'chosen', encoding, notes: invalid === 0 ? [] : [{ at: firstInvalid, words }] };
}

function isUtf8({ invalid, firstNul }: ByteEvidence, mark: Encoding | null): boolean {
  return invalid === 0 && firstNul === -1 && (mark === null || mark === 'utf-8');
}

/** Reports are written in UTF-8 whatever their input was in, and loaded again with the same definition. */
function report(wanted: Encoding): Choice {
  const note = `The file is a report, and reports are in utf-8: it is read as that, not as ${wanted}.`;
  const notes = wanted === 'utf-8' ? [] : [{ at: 0, words: () => note }];
  return { kind: 'chosen', encoding: 'utf-8', notes };
}

function isReport(head: Buffer): boolean {
  const text = head.toString('latin1');
  return firstLine(text).includes(REPORT_ROW_COLUMN) || text.includes(`"${REPORT_MEMBER}"`);
}

function firstLine(text: string): string {
  return text.slice(0, text.search(/[\r\n]|$/));
}

function utf16(wanted: 'utf-16le' | 'utf-16be', { nuls: [even, odd] }: ByteEvidence): Choice {
  const [right, wrong] = wanted === 'utf-16le' ? [odd, even] : [even, odd];
  if (wrong > right) return contradiction(wanted, 'has its NUL bytes where the other byte order has them');
  // Without a NUL there is neither a line end nor a delimiter in it.
  if (right === 0) return contradiction(wanted, 'has none of the NUL bytes that any text in it has');
  return { kind: 'chosen', encoding: wanted, notes: [] };
}

function singleByte(wanted: Encoding, { hasUtf8, invalid }: ByteEvidence): Choice {
  const note = `The text is read as ${wanted}, as format.encoding says, but all of it is valid utf-8: if accented letters come out as two signs, remove format.encoding.`;
  const notes: Finding[] = hasUtf8 && invalid === 0 ? [{ at: 0, words: () => note }] : [];
  return { kind: 'chosen', encoding: wanted, notes };
}

function contradiction(wanted: Encoding, what: string): Choice {
  return refuse(
    `the text is not ${wanted}, as format.encoding says: it ${what}; correct format.encoding or remove it (preview: --encoding)`,
  );
}

function noText(evidence: ByteEvidence): Choice {
  const order = byteOrder(evidence);
  return order === null
    ? refuseNul(evidence.firstNul)
    : refuse(`the text looks like ${order}: expected what format.encoding says; correct or remove it`);
}

function refuseNul(at: number): Choice {
  return refuse(nulProblem(at + 1));
}

/** What is wrong with a text that holds U+0000, at a byte counted from 1. */
export function nulProblem(byte: number): string {
  return `byte ${byte} is NUL, so this is no text: expected a CSV or JSON file in utf-8; export the data again as text`;
}

function refuse(why: string): Choice {
  return { kind: 'refused', why: { at: 0, words: () => why } };
}
