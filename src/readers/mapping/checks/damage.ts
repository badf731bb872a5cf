/** Damage that cells of any field can have: what spreadsheets and wrong encodings leave behind. */
import type { CheckCode } from '../../../model/issue.ts';
import { wordsOf } from '../read-data.ts';
import type { RowContext } from '../row-context.ts';
import { isWordForNothing } from '../row-key.ts';

export type CellCheck = {
  readonly code: CheckCode;
  /** Whatever the definition's settings make of its code: it may be so by right. */
  readonly isWarning?: true;
  /** Finds nothing in a plain text (`isPlain`). */
  readonly passesPlain?: true;
  /** What was expected and what probably happened, or `null`; `text` is never empty. */
  find(text: string, context: RowContext): string | null;
};

/**
 * Letters, digits and the signs of names and addresses, as most cells are: asked once, in place of
 * most checks.
 */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN =
  /^(?:\d[A-Za-z\d /-]*|(?!System\.|Err:|null|NaN|undefined)[A-Za-z][A-Za-z\d\u00df-\u00ff .,:'()/-]*)(?<! )$/;

export type BesideOf = (context: RowContext) => string;

/** What would be sent in the same row: `of`: in the same object; `at`: by its whole path. */
export type Beside = { of(name: string): BesideOf; at(place: string): BesideOf };

/** Without a decimal sign or a plus (`1E11`) a text may be an identifier. */
const SCIENTIFIC = /^-?\d(?:[.,]\d+[eE][+-]?|[eE]\+)\d{1,3}$/;
const SHORTEST = 4;

export const scientificNotation: CellCheck = {
  code: 'scientific_notation',
  passesPlain: true,
  find: (text) => (text.length >= SHORTEST && SCIENTIFIC.test(text) ? EVERY_DIGIT : null),
};

const EVERY_DIGIT =
  'every digit, as text; a spreadsheet probably turned a long ' +
  'number into a short form such as 1.23457E+11, which loses digits';

/** Within a text it may be meant. A column too narrow for its value shows `####`. */
export const spreadsheetError: CellCheck = {
  code: 'spreadsheet_error',
  passesPlain: true,
  find: (text) => {
    if (/^#{3,}$/.test(text)) return NARROW;
    const isError = text.startsWith('#') ? wordsOf('error').has(text.slice(1)) : /^Err:5\d\d$/.test(text);
    return isError ? FORMULA : null;
  },
};

const FORMULA =
  'a value; a spreadsheet writes this where a formula has ' +
  'no result: correct the formula and export the file again';

const NARROW =
  'a value; a spreadsheet writes this where a column is too ' +
  'narrow to show it: widen the column and export the file again';

/** What nobody types: a value of a program, written out where its text belongs. */
export const rendering: CellCheck = {
  code: 'rendering',
  passesPlain: true,
  find: (text) =>
    MAY_BE_RENDERED.test(text) && RENDERINGS.some((form) => form.test(text)) ? RENDERED : null,
};

const RENDERED =
  'a value; a program wrote out an object of its own here instead of the text that is in it: ' +
  'correct the export, and write it again';

/** For most cells this test is all that the check costs. */
const MAY_BE_RENDERED = /^(?:[[{#<]|System\.|undefined|null|NaN)|@[\da-f]+$/;

const RENDERINGS: readonly RegExp[] = [
  /^\[object [A-Z]\w*\]$/, // JavaScript
  /^(?:undefined|null|NaN)(?: (?:undefined|null|NaN))+$/,
  /^(?:\{\s*["'].*\}|\[\s*["'{[].*\])$/s, // JSON, Python
  /^System\.[A-Z]\w*(?:\.\w+)*(?:[`[].*)?$/s, // .NET
  /^(?:[a-z]\w*\.)+[A-Z][\w$]*@[\da-f]{4,8}$/, // Java
  /^#?<[\w.:]+(?: object at |:)0x[\da-f]+>$/i, // Python, Ruby
];

/** Not `'s-Hertogenbosch`. A key's identity passes over them. */
export const exportMark: CellCheck = {
  code: 'rendering',
  passesPlain: true,
  isWarning: true,
  find: (text) => {
    if (TEXT_MARK.test(text)) return MARKED_TEXT;
    return DECIMALS.test(text) ? WITH_DECIMALS : null;
  },
};

const TEXT_MARK = /^(?:'[=+\-@\d]|="[^"]*"$)/;
const MARKED_TEXT =
  'the value alone; a program put a mark before it, \' or =" ", so that a spreadsheet takes it for text: ' +
  'have the export write it without';

const DECIMALS = /^\d+\.0$/;
const WITH_DECIMALS = 'the value without .0; a program took the column for decimal numbers';

/** Signs that a page, an address or a program's text is written with. */
export const escapedText: CellCheck = {
  code: 'rendering',
  passesPlain: true,
  isWarning: true,
  find: (text) => (ESCAPE_SIGN.test(text) && ESCAPED.some((form) => form.test(text)) ? UNESCAPED : null),
};

const UNESCAPED =
  'text as people read it; a program wrote signs in it as &amp;, <br>, %C3%BC, =C3=BC, \\n or \\u00fc: ' +
  'have the export write the signs themselves';

const ESCAPE_SIGN = /[&<%=\\]/;

const ESCAPED: readonly RegExp[] = [
  /&(?:#\d{2,6}|#x[\da-f]{2,6}|[a-z]{2,8}\d?);/i,
  /<\/?(?:br|p|b|i|div|span|td|a|font)(?:\s[^>]*)?\/?>/i,
  /%20|%[cde][\da-f]%[89ab][\da-f]/i,
  /=[cde][\da-f]=[89ab][\da-f]/i,
  /\\(?:[nrt](?![a-z])|u[\da-fA-F]{4}|x[\da-fA-F]{2})/,
];

/** What nobody sees; direction marks have their place in right-to-left text. */
export const unseenSign: CellCheck = {
  code: 'unseen_sign',
  passesPlain: true,
  find: (text) => {
    const [sign] = NOT_PLAIN.test(text) ? (unseenOf(text).exec(text) ?? []) : [];
    if (sign !== undefined) return `text without ${codeOf(sign)}, a sign that can not be seen; take it out`;
    return PADDED.test(text) ? PADDING : null;
  },
};

/** A zero-width space parts the words of Thai, Lao, Burmese and Khmer. */
const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/;
const UNSEEN_THERE = /[\u00ad\u2060-\u2064\ufeff\ufff9-\ufffb]/;

function unseenOf(text: string): RegExp {
  if (WITHOUT_SPACES.test(text)) return UNSEEN_THERE;
  return RIGHT_TO_LEFT.test(text) ? UNSEEN : UNSEEN_OR_MARK;
}

const PADDED = /^\s|\s$/;
const PADDING =
  'a value without white space before or behind it; with `format: ' +
  '{ trim: true }` in the job definition it is taken off';
const NOT_PLAIN = /[^ -~\u00ae-\u024f]/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const UNSEEN = /[\u00ad\u200b\u2060-\u2064\ufeff\ufff9-\ufffb]/;
const UNSEEN_OR_MARK = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/;

/** As `U+200E`. */
export function codeOf(sign: string): string {
  return `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? ''}`;
}

/** Sent as it stands: where the field is required, it counts as lacking. */
export const wordForNothing: CellCheck = {
  code: 'word_for_nothing',
  find: (text) => (isWordForNothing(text) ? NOTHING : null),
};

const NOTHING =
  'a value, or an empty cell; such a word stands for nothing, and is sent as it is: ' +
  'under the field in the job definition, `values` says which ' +
  'cells are empty, and `nothing: []` that they are meant';

/** What later bytes of a UTF-8 character (80 to BF) become in windows-1252 or ISO-8859-1. */
const LATER = String.raw`\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122`;

/** For most cells this test is all that the check costs. */
const BEYOND_ASCII = /[\u0080-\uffff]/;

const CANDIDATE = new RegExp(String.raw`[\u0080-\u009f]|[\u00c2-\u00f4][${LATER}]|[a-z\d]\u00c2 |\ufffd`);

/**
 * Runs of such characters that are valid UTF-8. A pair counts only where it would be a letter of a
 * usual alphabet (Latin, Greek, Cyrillic, Hebrew, Arabic): others, as in RENÉ’S, are mostly meant.
 */
const SEQUENCE = String.raw`[\u00c2-\u00c5\u00ce-\u00d1\u00d7-\u00d9][${LATER}]|\u00c8[\u0098-\u009b\u02dc\u2122\u0161\u203a]|[\u00e0-\u00ef][${LATER}]{2}|[\u00f0-\u00f4][${LATER}]{3}`;
const NOT_ASCII = String.raw`[\u0080-\uffff]`;
const RUN = new RegExp(`(?<!${NOT_ASCII})(?:${SEQUENCE})+(?!${NOT_ASCII})`);

/** The beginning of a typographic sign that lost its end; a space that kept its first byte. */
const REMAINS = /\u00e2\u20ac|[a-z\d]\u00c2 /;

/** No text has these: windows-1252 keeps its quotes, dashes and the euro sign there. */
const CONTROL = /[\u0080-\u009f]/;

/** UTF-8 read as windows-1252 or ISO-8859-1, and what a reader had to give up (U+FFFD). */
export const mojibake: CellCheck = {
  code: 'mojibake',
  passesPlain: true,
  find: (text) => (BEYOND_ASCII.test(text) && CANDIDATE.test(text) ? mojibakeIn(text) : null),
};

function mojibakeIn(text: string): string | null {
  if (text.includes('\ufffd')) return REPLACED;
  if (RUN.test(text) || REMAINS.test(text)) return MISREAD;
  return CONTROL.test(text) ? CONTROLS : null;
}

const CONTROLS =
  'text without control characters (U+0080 to U+009F); a ' +
  'program probably took windows-1252 or UTF-8 for ISO-8859-1';

const REPLACED =
  'text without the sign � (U+FFFD); a program probably read the ' +
  'file in the wrong encoding, and the characters there are lost';

const MISREAD =
  'text as it was written; a program probably took UTF-8 ' +
  'for windows-1252, which turns é into Ã© and ’ into â€™';
