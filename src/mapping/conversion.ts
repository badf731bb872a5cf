/**
 * How a cell or a JSON value becomes the value of a field. The field's type decides, or the definition's `as` with its
 * options where that fits the type. What can't be converted exactly is refused with what was expected; text stays as it
 * stands.
 */
import type { FieldSource } from '../config/job-definition.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import { countryCode } from './countries.ts';
import { dateByPattern, isoDate } from './dates.ts';
import { integerConversion, numberConversion, signsProblem } from './numbers.ts';
import type { LeafType } from './request-field.ts';

/** A JSON value that is neither text nor empty. */
type TypedValue = number | boolean | readonly JsonValue[] | JsonObject;

/**
 * How a cell or a JSON value becomes the value of a field.
 * Both functions answer `undefined` where the value can't be converted and `null` where there is nothing in it.
 */
export type Conversion = {
  /** `text` is never empty. */
  fromText(text: string): JsonValue | undefined;
  fromJson(value: TypedValue): JsonValue | undefined;
  /** Dates by a pattern: whether day and month the other way round would be another day of the calendar. */
  isSwappable?(text: string): boolean;
  /** How a workbook's number, date or boolean becomes the value, where the definition's signs, pattern or words are for text only. */
  readonly typed?: Conversion;
  /** For a text that was refused: what to set so that it is read, to follow `expected`; or nothing. */
  remedy?(text: string): string;
  /** What would have been right, to follow "expected". */
  readonly expected: string;
};

/** Carries one value over, text or typed; `null` and the empty string have nothing in them. */
export function convert(conversion: Conversion, value: JsonValue): JsonValue | undefined {
  if (value === null || value === '') return null;
  return typeof value === 'string' ? conversion.fromText(value) : conversion.fromJson(value);
}

/** A column of `fields` with its conversion. */
export type ConvertedColumn = Extract<FieldSource, { column: string }>;
type As = NonNullable<ConvertedColumn['as']>;
type Option = 'pattern' | 'decimal' | 'grouping' | 'true' | 'false';

const BY_TYPE: Readonly<Record<LeafType, As>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  'date-time': 'date',
  country: 'country',
  'string-list': 'list',
};

/** The field types that each conversion's result fits; dates and countries are strings on the wire. */
const FITS: Readonly<Record<As, readonly LeafType[]>> = {
  string: ['string', 'country', 'date-time'],
  boolean: ['boolean'],
  integer: ['integer', 'number'],
  number: ['number'],
  date: ['date-time', 'string'],
  country: ['country', 'string'],
  list: ['string-list'],
};

const OPTIONS: Readonly<Record<Option, readonly As[]>> = {
  pattern: ['date'],
  decimal: ['number'],
  grouping: ['number', 'integer'],
  true: ['boolean'],
  false: ['boolean'],
};

/** The conversion that a field's type asks for where the definition names none. */
export function defaultConversion(type: LeafType): Conversion {
  const conversion = create(BY_TYPE[type], { column: '' });
  if (typeof conversion === 'string') throw new Error(conversion);
  return conversion;
}

/** The conversion a definition asks for, or what is wrong with it for a field of this type. */
export function conversionFor(type: LeafType, source: ConvertedColumn): Conversion | string {
  const as = source.as ?? BY_TYPE[type];
  if (!FITS[as].includes(type)) {
    const fitting = Object.entries(FITS).flatMap(([name, types]) => (types.includes(type) ? [name] : []));
    return `as: ${as} doesn't fit a field of type ${type}; expected ${fitting.join(' or ')}`;
  }
  for (const option of ['pattern', 'decimal', 'grouping', 'true', 'false'] as const) {
    if (source[option] !== undefined && !OPTIONS[option].includes(as)) {
      return `${option} belongs to as: ${OPTIONS[option].join(' or ')}, but this is as: ${as}`;
    }
  }
  return create(as, source);
}

function create(as: As, source: ConvertedColumn): Conversion | string {
  switch (as) {
    case 'string':
      return stringConversion;
    case 'boolean':
      return booleanConversion(source);
    case 'integer':
      return integerConversion(source);
    case 'number':
      return signsProblem(source) ?? numberConversion(source);
    case 'date':
      return source.pattern === undefined ? isoDate : createDate(source.pattern);
    case 'country':
      return countryConversion;
    case 'list':
      return listConversion;
    default:
      return as satisfies never;
  }
}

function createDate(pattern: string): Conversion | string {
  const conversion = dateByPattern(pattern);
  return typeof conversion === 'string' ? `pattern "${pattern}": ${conversion}` : conversion;
}

/** Text stays exactly as it stands: leading zeros and spaces live. A JSON number may have lost digits, so it is refused. */
export const stringConversion: Conversion = {
  fromText: (text) => text,
  fromJson: () => undefined,
  expected: 'a string (in quotes)',
};

const TRUE_WORDS = ['true', 'yes', 'y', '1'] as const;
const FALSE_WORDS = ['false', 'no', 'n', '0'] as const;

/** The cells that mean true and false, exactly as written; a side left out keeps true/yes/y/1 or false/no/n/0 in any case. */
type BooleanWords = {
  readonly true?: readonly string[] | undefined;
  readonly false?: readonly string[] | undefined;
};

/** A conversion to a boolean, or which word would mean both. */
function booleanConversion(words: BooleanWords): Conversion | string {
  const trueWords = words.true ?? TRUE_WORDS;
  const falseWords = words.false ?? FALSE_WORDS;
  const meansTrue = matcher(words.true, TRUE_WORDS);
  const meansFalse = matcher(words.false, FALSE_WORDS);
  const both = [...trueWords, ...falseWords].find((word) => meansTrue(word) && meansFalse(word));
  if (both !== undefined) {
    return `"${both}" would mean both true and false; expected words that mean one of them`;
  }
  const conversion = {
    fromText: (text: string) => (meansTrue(text) ? true : meansFalse(text) ? false : undefined),
    fromJson: (value: TypedValue) => (typeof value === 'boolean' ? value : undefined),
    expected: `a boolean: ${list(trueWords)} for true, ${list(falseWords)} for false`,
  };
  const typed = (text: string) =>
    conversion.fromText(text) ?? (text === 'true' ? true : text === 'false' ? false : undefined);
  return { ...conversion, typed: { ...conversion, fromText: typed } };
}

function matcher(own: readonly string[] | undefined, usual: readonly string[]): (text: string) => boolean {
  const words: ReadonlySet<string> = new Set(own ?? usual);
  return own === undefined ? (text) => words.has(text.toLowerCase()) : (text) => words.has(text);
}

function list(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}

/**
 * A conversion to the three-letter code (service-api.md, 2.1). Three letters that ISO 3166-1 doesn't have are passed on:
 * the service's list of codes is not shown, so the service is the judge.
 */
const countryConversion: Conversion = {
  fromText: (text) => countryCode(text) ?? (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined),
  fromJson: () => undefined,
  expected: 'a country: two- or three-letter ISO 3166 code or English name',
};

const SEPARATOR = /[;|]/;

/** Text is split on `;` and `|`, its parts trimmed; empty parts and JSON nulls are left out. */
export const listConversion: Conversion = {
  fromText: (text) => partsOf(text),
  fromJson: (value) => (Array.isArray(value) ? stringsOf(value) : undefined),
  expected: 'a list of strings (in one cell: separated by ; or |)',
};

function partsOf(text: string): readonly string[] | null {
  const parts: string[] = [];
  for (const part of text.split(SEPARATOR)) {
    const trimmed = part.trim();
    if (trimmed !== '') parts.push(trimmed);
  }
  return parts.length === 0 ? null : parts;
}

function stringsOf(values: readonly JsonValue[]): readonly string[] | undefined {
  const strings: string[] = [];
  for (const value of values) {
    if (value === null || value === '') continue;
    if (typeof value !== 'string') return undefined;
    strings.push(value);
  }
  return strings;
}
