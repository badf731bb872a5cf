import type { CellCheck } from './cell-check.ts';

/** What the second and later bytes of a UTF-8 character (80 to BF) become in windows-1252 or ISO-8859-1. */
const LATER =
  '\\u0080-\\u00bf\\u0152\\u0153\\u0160\\u0161\\u0178\\u017d\\u017e\\u0192\\u02c6\\u02dc\\u2013\\u2014\\u2018-\\u201a\\u201c-\\u201e\\u2020-\\u2022\\u2026\\u2030\\u2039\\u203a\\u20ac\\u2122';

/** Cells without any such pair are clean; this is all that most of them cost. */
const CANDIDATE = new RegExp(`[\\u00c2-\\u00f4][${LATER}]|[a-z\\d]\\u00c2 |\\ufffd`);

/**
 * Whole runs of such characters that are valid UTF-8. First characters of two that stand for letters of the usual
 * alphabets only (Latin, Greek, Cyrillic, Hebrew, Arabic): others, such as the É of RENÉ’S, are far more often meant.
 */
const SEQUENCE = `[\\u00c2-\\u00c5\\u00ce-\\u00d1\\u00d7-\\u00d9][${LATER}]|\\u00c8[\\u0098-\\u009b\\u02dc\\u2122\\u0161\\u203a]|[\\u00e0-\\u00ef][${LATER}]{2}|[\\u00f0-\\u00f4][${LATER}]{3}`;
const NOT_ASCII = '[\\u0080-\\uffff]';
const RUN = new RegExp(`(?<!${NOT_ASCII})(?:${SEQUENCE})+(?!${NOT_ASCII})`);

/** The beginning of a typographic sign, whose last character some programs drop; and a space that kept its first byte. */
const REMAINS = /\u00e2\u20ac|[a-z\d]\u00c2 /;

/** Finds text that was written as UTF-8 and read as windows-1252, and characters that a reader had to give up (U+FFFD). */
export const mojibake: CellCheck = {
  code: 'mojibake',
  find: (text) => (CANDIDATE.test(text) ? explain(text) : null),
};

function explain(text: string): string | null {
  if (text.includes('\ufffd')) return REPLACED;
  return RUN.test(text) || REMAINS.test(text) ? MISREAD : null;
}

const REPLACED =
  'text without the sign � (U+FFFD); a program probably read the file in the wrong encoding, and the characters there are lost';

const MISREAD =
  'text as it was written; a program probably took UTF-8 for windows-1252, which turns é into Ã© and ’ into â€™';
