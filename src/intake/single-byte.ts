import type { Encoding } from '../model/source.ts';
import { type ByteContext, contextOf } from './byte-context.ts';
import type { ByteEvidence } from './byte-evidence.ts';
import { DIFFERENT, isMisfit, vote } from './byte-vote.ts';
import type { Finding } from './finding.ts';

/** An encoding with what speaks for it, or why none can be told. */
export type Choice =
  | { readonly kind: 'chosen'; readonly encoding: Encoding; readonly notes: readonly Finding[] }
  | { readonly kind: 'refused'; readonly why: Finding };

/**
 * Tells windows-1252, iso-8859-1 and iso-8859-15 apart. They differ in the bytes 80 to 9F, which only windows-1252 has
 * characters for, and in eight more, whose neighbours tell which of two characters is meant.
 */
export function chooseSingleByte(evidence: ByteEvidence): Choice {
  const found = [...evidence.contexts]
    .map(([key, at]) => ({ ...contextOf(key), at }))
    .sort((a, b) => a.at - b.at);
  const misfit = found.find(isMisfit);
  const [first] = found;
  if (first !== undefined && isForeign(evidence)) return refuse(first.at, FOREIGN);
  if (misfit !== undefined) return refuse(misfit.at, inWord(misfit.byte));
  const windows = found.find(({ byte }) => byte < 0xa0 && !UNDEFINED.has(byte));
  if (windows !== undefined) return choose('windows-1252', windows.at, only(windows.byte));
  const telling = found.filter(({ byte }) => DIFFERENT.has(byte));
  if (telling.length > 0) return weigh(telling);
  const stray = found.find(({ byte }) => UNDEFINED.has(byte));
  return stray === undefined
    ? choose('windows-1252', first?.at ?? 0, () => ALIKE)
    : choose('windows-1252', stray.at, without(stray.byte));
}

/** Without a character in windows-1252 too: their rows can't be read. */
const UNDEFINED: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

type Found = ByteContext & { readonly at: number };

function weigh(telling: readonly Found[]): Choice {
  const latin9 = telling.find((context) => vote(context) === 'iso-8859-15');
  const western = telling.find((context) => vote(context) === 'windows-1252');
  if (latin9 !== undefined && western === undefined)
    return choose('iso-8859-15', latin9.at, meant(latin9, 1));
  if (western !== undefined && latin9 === undefined)
    return choose('windows-1252', western.at, meant(western, 0));
  const [first] = latin9 === undefined ? telling : [latin9];
  return refuse(first?.at ?? 0, twoReadings(first?.byte ?? 0));
}

/** Western words hardly have two accented letters in a row; of Cyrillic or Chinese text nearly all bytes are high. */
function isForeign({ invalid, adjacent, longestRun }: ByteEvidence): boolean {
  return longestRun >= 4 || (invalid >= 4 && adjacent * 4 >= invalid * 3);
}

function choose(encoding: Encoding, at: number, words: Finding['words']): Choice {
  return { kind: 'chosen', encoding, notes: [{ at, words }] };
}

function refuse(at: number, words: Finding['words']): Choice {
  return { kind: 'refused', why: { at, words } };
}

const ALIKE =
  'The text is not utf-8 and is read as windows-1252; iso-8859-1 and iso-8859-15 would read all of it the same way. If it is in yet another encoding, save it as utf-8.';

function only(byte: number): Finding['words'] {
  return (line) =>
    `The text is not utf-8 and is read as windows-1252, the only encoding of its kind that has a character for the byte ${hex(byte)} (line ${line}). If that is wrong, set format.encoding (preview: --encoding).`;
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
    `The text is not utf-8 and is read as ${name}: the byte ${hex(byte)} on line ${line} fits as ${is}, not as ${not}. If that is wrong, set format.encoding (preview: --encoding).`;
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
  `the text is not utf-8, and its bytes from line ${line} on look like another alphabet's: expected utf-8; save it as utf-8 (in Excel: "CSV UTF-8"), or set format.encoding (preview: --encoding) if it is one of those that can be read`;

const SAY_WHICH =
  'expected one encoding that fits; set format.encoding (preview: --encoding), or save the file as utf-8 (in Excel: "CSV UTF-8")';

function hex(byte: number): string {
  return `0x${byte.toString(16).toUpperCase()}`;
}
