import type { Encoding } from '../model/source.ts';
import { type ByteContext, isLetter } from './byte-context.ts';

/** The bytes that iso-8859-15 reads in another way than windows-1252 and iso-8859-1. */
export const DIFFERENT: ReadonlyMap<number, readonly [western: string, latin9: string]> = new Map([
  [0xa4, ['¤', '€']],
  [0xa6, ['¦', 'Š']],
  [0xa8, ['¨', 'š']],
  [0xb4, ['´', 'Ž']],
  [0xb8, ['¸', 'ž']],
  [0xbc, ['¼', 'Œ']],
  [0xbd, ['½', 'œ']],
  [0xbe, ['¾', 'Ÿ']],
]);

/** What the neighbours say of one of these bytes; `null`: both characters could stand there. */
export function vote(context: ByteContext): Encoding | null {
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

/** Whether the byte stands where none of its characters can, so that the bytes are of yet another encoding. */
export function isMisfit({ byte, before, after }: ByteContext): boolean {
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
