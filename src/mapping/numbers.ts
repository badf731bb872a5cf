/**
 * Numbers as files write them. Nothing is rounded: a numeral that a double can't keep digit by digit is refused, groups
 * of three have to be in their places, and a refusal names the signs with which the text would be a number.
 */
import { isExactNumber } from '../lib/exact-number.ts';
import { decimalOf, type WrittenAs } from '../model/written-as.ts';
import type { Conversion } from './conversion.ts';

/** The signs of the file's numbers; without any, a number is written as in JSON. */
export type NumberSigns = Readonly<Pick<WrittenAs, 'decimal' | 'grouping'>>;
type Grouping = NonNullable<NumberSigns['grouping']>;

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

/** What is wrong with the signs of a number, or `null`. */
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

function example(signs: NumberSigns): string {
  return `-1${signs.grouping ?? ''}234${decimalOf(signs)}56`;
}

/** More characters than any double needs: what is longer is no number that was meant. */
const MAX_LENGTH = 400;

/** The number that a JSON numeral (RFC 8259, section 6) stands for; `undefined` where a double can't keep every digit. */
function exactNumber(numeral: string): number | undefined {
  if (numeral.length > MAX_LENGTH || !isExactNumber(numeral)) return undefined;
  return Number(numeral) || 0; // not -0, which JSON can't tell from 0
}

type Reads = (signs: NumberSigns) => boolean;

const DECIMALS: readonly NumberSigns[] = [{ decimal: '.' }, { decimal: ',' }];
const GROUPINGS: readonly NumberSigns[] = [
  { grouping: ',' },
  { grouping: '.' },
  { grouping: ' ' },
  { grouping: "'" },
];
const BOTH: readonly NumberSigns[] = [
  { decimal: ',', grouping: ' ' },
  { decimal: ',', grouping: "'" },
];

/** The signs with which a refused text would be a number. */
function decimalRemedy(current: NumberSigns, reads: Reads): readonly WrittenAs[] {
  // Signs for grouping are only named where the text has that sign.
  const ungrouped = DECIMALS.filter(reads);
  const grouped = GROUPINGS.map((signs) => (current.decimal === undefined ? signs : withDecimal(signs)));
  const single = [...ungrouped, ...grouped.filter((signs) => !reads(decimalOnly(signs)) && reads(signs))];
  return single.length > 0 ? single : BOTH.filter(reads);
}

/** The grouping signs with which a refused text would be a whole number. */
function integerRemedy(reads: Reads): readonly WrittenAs[] {
  return GROUPINGS.filter(reads);
}

function withDecimal({ grouping }: NumberSigns): NumberSigns {
  return { decimal: grouping === '.' ? ',' : '.', grouping };
}

function decimalOnly(signs: NumberSigns): NumberSigns {
  return { decimal: withDecimal(signs).decimal };
}
