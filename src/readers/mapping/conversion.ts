/**
 * How a cell or a JSON value becomes the value of a field. What can't be converted exactly is
 * refused; text stays as it stands.
 */

import type { WrittenAs } from '../../model/issue.ts';
import { isJsonList } from '../../model/json-record.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import { countryCode } from './countries.ts';
import { wordsOf } from './read-data.ts';

type TypedValue = number | boolean | readonly JsonValue[] | JsonObject;

/** Answers `undefined` where the value can't be converted, `null` where there is nothing in it. */
export type Conversion = {
  /** Cells that are taken over as they stand, or in parts: what looks damaged in them is damage. */
  readonly kind?: 'text' | 'list';
  /** What elsewhere is a word for nothing is meant as it stands. */
  readonly takesWords?: true;
  /** Whether the definition says what this very cell means: nothing in it is damage. */
  isNamed?(text: string): boolean;
  fromText(text: string): JsonValue | undefined;
  fromJson(value: TypedValue): JsonValue | undefined;
  /** For a workbook's numbers, dates and booleans, where the definition speaks of text only. */
  readonly typed?: Conversion;
  remedy?(text: string): readonly WrittenAs[];
  /** What a text that can't be converted looks like, without the text. */
  formOf?(text: string): string | undefined;
  readonly expected: string;
};

export function isEmpty(value: JsonValue): value is null | string {
  if (typeof value !== 'string') return value === null;
  return !startsVisible(value) && value.trim() === '';
}

/** With printable ASCII that is no space, as nearly all cells do. */
function startsVisible(text: string): boolean {
  const first = text.charCodeAt(0);
  return first > 32 && first < 127;
}

export function convert(conversion: Conversion, value: JsonValue): JsonValue | undefined {
  return isEmpty(value) ? null : convertFilled(conversion, value);
}

/** As `convert`, of what is known not to be empty. */
export function convertFilled(
  conversion: Conversion,
  value: Exclude<JsonValue, null>,
): JsonValue | undefined {
  if (hasVerticalTab(value)) return undefined;
  return typeof value === 'string' ? conversion.fromText(value) : conversion.fromJson(value);
}

/** What was expected of a value that can't be converted. */
export function expectedOf(conversion: Conversion, value: JsonValue): string {
  if (hasVerticalTab(value)) return NO_VERTICAL_TAB;
  const form = conversion.formOf?.(String(value));
  return conversion.expected + (form === undefined ? '' : `; the cell looks like ${form}`);
}

const NO_VERTICAL_TAB =
  'text without a vertical tab (U+000B), which FileMaker and Word ' +
  'write for a line break in a cell: put a space or a line break ' +
  'there (in Excel: =SUBSTITUTE(A2,CHAR(11)," "))';

function hasVerticalTab(value: JsonValue): boolean {
  return typeof value === 'string' ? value.includes('\v') : isJsonList(value) && value.some(hasVerticalTab);
}

/** A JSON number may have lost digits, so that it is refused. */
export const stringConversion: Conversion = {
  kind: 'text',
  fromText: (text) => text,
  fromJson: () => undefined,
  expected: 'a string (in quotes)',
};

const TRUE_WORDS = ['true', 'yes', 'y', '1'] as const;
const FALSE_WORDS = ['false', 'no', 'n', '0'] as const;

type BooleanWords = {
  readonly true?: readonly string[] | undefined;
  readonly false?: readonly string[] | undefined;
};

export function booleanConversion(words: BooleanWords): Conversion | string {
  const [trueWords, falseWords] = [words.true ?? TRUE_WORDS, words.false ?? FALSE_WORDS];
  const meansTrue = matcher(words.true, TRUE_WORDS);
  const meansFalse = matcher(words.false, FALSE_WORDS);
  const both = [...trueWords, ...falseWords].find((word) => meansTrue(word) && meansFalse(word));
  if (both !== undefined) {
    return `"${both}" would mean both true and false; expected words that mean one of them`;
  }
  const fromText = (text: string) => {
    if (meansTrue(text)) return true;
    return meansFalse(text) ? false : undefined;
  };
  const conversion = {
    fromText,
    fromJson: (value: TypedValue) => (typeof value === 'boolean' ? value : undefined),
    expected: `a boolean: ${list(trueWords)} for true, ${list(falseWords)} for false`,
  };
  const typed = (text: string) => fromText(text) ?? JSON_BOOLEANS.get(text);
  return { ...conversion, typed: { ...conversion, fromText: typed } };
}

const JSON_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function matcher(own: readonly string[] | undefined, usual: readonly string[]): (text: string) => boolean {
  const words: ReadonlySet<string> = new Set(own ?? usual);
  if (own !== undefined) return (text) => words.has(text);
  return (text) => words.has(text.toLowerCase());
}

function list(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}

/**
 * To the three-letter code. Three letters that ISO 3166-1 doesn't have are passed on: the service's
 * list of codes is not shown, so the service is the judge.
 */
export const countryConversion: Conversion = {
  fromText(text) {
    const code = countryCode(text);
    if (code !== undefined) return code;
    return /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined;
  },
  fromJson: () => undefined,
  expected:
    'a country: two- or three-letter ISO 3166 code, or its name ' +
    'in English, German, French, Spanish, Italian, Dutch, Polish, Portuguese or Swedish',
};

const SEPARATORS = [',', ';', '/', '&', '+', '-', '\n', ' '];

/** A text is split on `;` and `|`, or on the definition's separator. */
export function listConversion(separator?: string): Conversion {
  const own = separator === undefined ? '; or |' : JSON.stringify(separator);
  return {
    kind: 'list',
    fromText: (text) => partsOf(text, separator ?? /[;|]/),
    fromJson: (value) => (Array.isArray(value) ? stringsOf(value) : undefined),
    remedy(text) {
      const sign = SEPARATORS.find((one) => partsOf(text, one) !== undefined);
      return sign === undefined ? [] : [{ separator: sign }];
    },
    expected: `a list of strings (in one cell: separated by ${own}, no brackets)`,
  };
}

type Parts = readonly string[] | null | undefined;

/** `undefined`: a part is a list itself. */
function partsOf(text: string, separator: string | RegExp): Parts {
  const parts = text.split(separator).map((part) => part.trim());
  const filled = parts.filter((part) => part !== '');
  if (BRACKETED.test(text.trim()) || filled.some(holdsCurrencies)) return undefined;
  return filled.length === 0 ? null : filled;
}

/** As JSON, Python and SQL write lists. */
const BRACKETED = /^(?:\[.*\]|\{.*\})$/s;

function holdsCurrencies(part: string): boolean {
  const codes = part.split(/[^a-z]+/i).filter((code) => code !== '');
  if (codes.length === 0 || codes[0] === part) return false;
  return codes.every((code) => wordsOf('currency').has(code.toUpperCase()));
}

function stringsOf(values: readonly JsonValue[]): readonly string[] | undefined {
  const filled = values.filter((value) => !isEmpty(value));
  return filled.every((value) => typeof value === 'string') ? filled : undefined;
}
