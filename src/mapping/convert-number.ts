import type { Conversion } from './conversion.ts';
import { exactNumber } from './exact-number.ts';
import { decimalRemedy, integerRemedy } from './number-remedy.ts';

type Grouping = ',' | '.' | ' ' | "'";

/** The signs of the file's numbers; without any, a number is written as in JSON. */
export type NumberSigns = {
  readonly decimal?: '.' | ',' | undefined;
  readonly grouping?: Grouping | undefined;
};

/** Spreadsheets write a space between groups as U+00A0, U+2009 or U+202F, and an apostrophe also as U+2019. */
const GROUP_SIGNS: Readonly<Record<Grouping, string>> = {
  ',': ',',
  '.': '\\.',
  ' ': '[ \\u00a0\\u2009\\u202f]',
  "'": "['\\u2019]",
};

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PLAIN_INTEGER = /^[+-]?\d+$/;
const EXACT = 'with no more digits than a double keeps exactly (15 always are)';

/** A conversion to a number: nothing is rounded, and groups of three have to be in their places. */
export function numberConversion(signs: NumberSigns): Conversion {
  const plain = signs.decimal === undefined && signs.grouping === undefined;
  return {
    fromText: plain ? plainNumber : signedNumber(signs),
    fromJson: (value) => (typeof value === 'number' ? value : undefined),
    ...(plain ? {} : { typed: numberConversion({}) }),
    remedy: (text) => decimalRemedy(signs, (other) => signedNumber(other)(text) !== undefined),
    expected: `a number such as ${plain ? '-1234.56' : example(signs)}, ${EXACT}`,
  };
}

/** A conversion to a whole number that a double keeps exactly: up to 9007199254740991. */
export function integerConversion(signs: NumberSigns): Conversion {
  const { grouping } = signs;
  return {
    fromText: integerReader(signs),
    fromJson: (value) => (Number.isSafeInteger(value) ? value : undefined),
    ...(grouping === undefined ? {} : { typed: integerConversion({}) }),
    remedy: (text) => integerRemedy((other) => integerReader(other)(text) !== undefined),
    expected: `a whole number such as ${grouping === undefined ? '1234' : `1${grouping}234`}, up to ${Number.MAX_SAFE_INTEGER}`,
  };
}

/** What is wrong with the signs, or `null`. */
export function signsProblem(signs: NumberSigns): string | null {
  return signs.grouping !== undefined && signs.grouping === decimalOf(signs)
    ? `expected different signs for decimal and grouping, both are "${signs.grouping}"`
    : null;
}

function plainNumber(text: string): number | undefined {
  return JSON_NUMBER.test(text) ? exactNumber(text) : undefined;
}

function signedNumber(signs: NumberSigns): (text: string) => number | undefined {
  const decimal = decimalOf(signs);
  const groups =
    signs.grouping === undefined ? '' : `|[1-9]\\d{0,2}(?:${GROUP_SIGNS[signs.grouping]}\\d{3})+`;
  const shape = new RegExp(`^(-?)(0|[1-9]\\d*${groups})(?:${decimal === '.' ? '\\.' : decimal}(\\d+))?$`);
  return (text) => {
    const match = shape.exec(text);
    if (match === null) return undefined;
    const [, sign = '', whole = '', fraction] = match;
    return exactNumber(sign + whole.replaceAll(/\D/g, '') + (fraction === undefined ? '' : `.${fraction}`));
  };
}

function integerReader({ grouping }: NumberSigns): (text: string) => number | undefined {
  return grouping === undefined ? plainInteger : groupedInteger(grouping);
}

function plainInteger(text: string): number | undefined {
  return PLAIN_INTEGER.test(text) ? safeInteger(text) : undefined;
}

function groupedInteger(grouping: Grouping): (text: string) => number | undefined {
  const shape = new RegExp(`^[+-]?(?:\\d+|\\d{1,3}(?:${GROUP_SIGNS[grouping]}\\d{3})+)$`);
  return (text) => (shape.test(text) ? safeInteger(text.replaceAll(/[^\d-]/g, '')) : undefined);
}

function safeInteger(text: string): number | undefined {
  const value = Number(text);
  if (value === 0) return 0; // not -0, which JSON can't tell from it
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A file that groups with dots has decimal commas, unless the definition says otherwise. */
function decimalOf(signs: NumberSigns): '.' | ',' {
  return signs.decimal ?? (signs.grouping === '.' ? ',' : '.');
}

function example(signs: NumberSigns): string {
  return `-1${signs.grouping ?? ''}234${decimalOf(signs)}56`;
}
