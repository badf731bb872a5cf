/**
 * Tells a text's encoding by its first bytes: a byte order mark says it, UTF-16 shows by its NULs,
 * all else is UTF-8 or has to be named, since one encoding's bytes are names in another.
 */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import type { Format } from '../../config/job-definition.ts';
import { printable } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { ENCODINGS, type Encoding } from '../../model/source.ts';
import { nulProblem } from './decode.ts';
import { isReport } from './report-file.ts';
import { ChoiceError } from './row-feed.ts';

type Choice = { readonly encoding: Encoding; readonly note: string | null };

/** UsageError where the first bytes contradict the definition's encoding. */
export function chooseEncoding(head: Buffer, wanted: Format['encoding'], path: string): Choice {
  const choice = choose(head, wanted);
  if (typeof choice === 'string') throw new UsageError(`${path}: ${choice}`);
  return choice;
}

/** A text: why the file is refused. */
function choose(head: Buffer, wanted: Format['encoding']): Choice | string {
  const mark = markOf(head);
  if (mark === 'utf-32') return 'the text is utf-32: expected utf-8; save it again as utf-8';
  if (wanted === 'auto') return mark === null ? find(head) : chosen(mark);
  if (isReport(head.toString('latin1')) && isReadAsUtf8(head, mark)) return report(wanted);
  if (mark !== null && mark !== wanted)
    return contradiction(wanted, `begins with the byte order mark of ${mark}`);
  if (wanted === 'utf-16le' || wanted === 'utf-16be') return utf16(wanted, head);
  return head.includes(0) ? noText(head) : chosen(wanted);
}

function markOf(head: Buffer): Encoding | null {
  const start = head.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'utf-32';
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : null;
}

function find(head: Buffer): Choice | string {
  const order = byteOrder(head);
  if (order === null) return head.includes(0) ? noText(head) : chosen('utf-8');
  return chosen(
    order,
    `The text has no byte order mark and is read as ${order}, since every second byte of it is NUL as a rule.`,
  );
}

function nulsIn(head: Buffer): readonly [even: number, odd: number] {
  const nuls: [number, number] = [0, 0];
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) nuls[at % 2 === 0 ? 0 : 1] += 1;
  return nuls;
}

/** In UTF-16 most units are plain letters with a NUL as upper byte. */
function byteOrder(head: Buffer): 'utf-16le' | 'utf-16be' | null {
  const [even, odd] = nulsIn(head);
  const half = head.length / 2 / 2;
  // Characters such as Ā (U+0100) have a NUL in the other place.
  if (odd > half && odd > 4 * even) return 'utf-16le';
  return even > half && even > 4 * odd ? 'utf-16be' : null;
}

function noText(head: Buffer): string {
  const order = byteOrder(head);
  return order === null
    ? nulProblem(head.indexOf(0) + 1)
    : `the text looks like ${order}: expected what format.encoding says; correct or remove it`;
}

function isReadAsUtf8(head: Buffer, mark: Encoding | null): boolean {
  // The head may end within a character.
  const isText = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)));
  return isText && !head.includes(0) && (mark ?? 'utf-8') === 'utf-8';
}

/** Reports are always in UTF-8, and loaded again with the definition of their input. */
function report(wanted: Encoding): Choice {
  if (wanted === 'utf-8') return chosen('utf-8');
  return chosen(
    'utf-8',
    `The file is a report, and reports are in utf-8: it is read as that, not as ${wanted}.`,
  );
}

function utf16(wanted: 'utf-16le' | 'utf-16be', head: Buffer): Choice | string {
  const [even, odd] = nulsIn(head);
  const [right, wrong] = wanted === 'utf-16le' ? [odd, even] : [even, odd];
  const order = byteOrder(head);
  if (order !== null && order !== wanted)
    return contradiction(wanted, `has its NUL bytes where ${order} has them`);
  // UTF-16 without a NUL byte has neither a line end nor a delimiter.
  return wrong > right || right === 0
    ? contradiction(wanted, 'has not the NUL bytes that any text in it has')
    : chosen(wanted);
}

export function contradiction(wanted: Encoding, what: string): string {
  return `the text is not ${wanted}, as format.encoding says: it ${what}; correct format.encoding or remove it`;
}

function chosen(encoding: Encoding, note: string | null = null): Choice {
  return { encoding, note };
}

/** Nobody named the encoding. Notes and logs have `message`, which holds nothing of the text. */
export class UntoldEncodingError extends ChoiceError {
  /** With text of the file, for a person who looks at it. */
  readonly shown: string;

  constructor(path: string, untold: Untold) {
    const choices = readingsOf(untold.bytes).map(({ encoding, text }) => {
      return { setting: 'encoding' as const, value: encoding, shows: [text] };
    });
    super(`${path}: ${untoldWords(untold, false)}`, choices);
    this.shown = `${path}: ${untoldWords(untold, true)}`;
  }
}

export function asShown(error: unknown): never {
  throw error instanceof UntoldEncodingError ? new ChoiceError(error.shown, error.choices) : error;
}

export type Untold = { readonly line: number; readonly bytes: Buffer; readonly isPartlyUtf8: boolean };

function untoldWords({ line, bytes, isPartlyUtf8 }: Untold, isShown: boolean): string {
  const likely = readingsOf(bytes).map(({ encoding, text }) =>
    isShown ? `${encoding} ("${text}")` : encoding,
  );
  const words = isShown
    ? `, which the likeliest read so: ${likely.join(', ')}`
    : `, most likely ${likely.join(' or ')} (\`onboard preview FILE\` shows how each reads it)`;
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

/** Seldom found in words, beyond ASCII. */
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

function nearLetters(line: string): string {
  const at = line.search(/[^\p{ASCII}]/u);
  const from = Math.max(0, at - SHOWN / 2);
  return printable(line.slice(from, from + SHOWN).trim());
}

const SHOWN = 40;
