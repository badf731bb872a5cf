/**
 * Numbers as files write them. Nothing is rounded: a numeral that a double can't keep digit by
 * digit is refused, and groups of three have to be in their places.
 */
import { isExactNumber } from '../../lib/exact-number.ts';
import type { WrittenAs } from '../../model/issue.ts';
import type { Conversion } from './conversion.ts';

type NumberSigns = Readonly<Pick<WrittenAs, 'decimal'>>;
type Decimal = NonNullable<NumberSigns['decimal']>;

/** Spreadsheets write the space as U+00A0, U+2009 or U+202F, the apostrophe also as U+2019. */
const SPACE_OR_APOSTROPHE = ['[ \\u00a0\\u2009\\u202f]', "['\\u2019]"];
/** Groups of three digits behind the first, all set apart by the same sign. */
const GROUPS: Readonly<Record<Decimal, string>> = { '.': groupsBy(','), ',': groupsBy('\\.') };

function groupsBy(sign: string): string {
  return [sign, ...SPACE_OR_APOSTROPHE].map((one) => `(?:${one}\\d{3})+`).join('|');
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** `12.0` is whole; three zeros could be a group of three. */
const PLAIN_INTEGER = /^[+-]?\d+(?:\.0{1,2})?$/;
const EXACT = 'with no more digits than a double keeps exactly (15 always are)';

export function numberConversion({ decimal }: NumberSigns): Conversion {
  const example = decimal === undefined ? '-1234.56' : NUMBER[decimal];
  return {
    fromText: decimal === undefined ? plainNumber : signedNumber(decimal),
    fromJson: (value) => (typeof value === 'number' ? value : undefined),
    ...(decimal !== undefined && { typed: numberConversion({}) }),
    remedy: (text) => remedy((other) => signedNumber(other)(text)),
    expected: `a number such as ${example}, ${EXACT}`,
  };
}

export function integerConversion({ decimal }: NumberSigns): Conversion {
  const example = decimal === undefined ? '1234' : INTEGER[decimal];
  return {
    fromText: decimal === undefined ? plainInteger : groupedInteger(decimal),
    fromJson: (value) => (Number.isSafeInteger(value) ? value : undefined),
    ...(decimal !== undefined && { typed: integerConversion({}) }),
    remedy: (text) => remedy((other) => groupedInteger(other)(text)),
    expected: `a whole number such as ${example}, up to ${Number.MAX_SAFE_INTEGER}`,
  };
}

const NUMBER: Readonly<Record<Decimal, string>> = { '.': '-1,234.56', ',': '-1.234,56' };
const INTEGER: Readonly<Record<Decimal, string>> = { '.': '1,234', ',': '1.234' };

function plainNumber(text: string): number | undefined {
  return JSON_NUMBER.test(text) ? exactNumber(text) : undefined;
}

function signedNumber(decimal: Decimal): (text: string) => number | undefined {
  const digits = `0|[1-9]\\d*|[1-9]\\d{0,2}(?:${GROUPS[decimal]})`;
  const shape = new RegExp(`^(-?)(${digits})(?:\\${decimal}(\\d+))?$`);
  return (text) => {
    const match = shape.exec(text);
    if (match === null) return undefined;
    const [, sign = '', grouped = '', fraction] = match;
    const whole = sign + grouped.replaceAll(/\D/g, '');
    return exactNumber(fraction === undefined ? whole : `${whole}.${fraction}`);
  };
}

function plainInteger(text: string): number | undefined {
  return PLAIN_INTEGER.test(text) ? safeInteger(text) : undefined;
}

function groupedInteger(decimal: Decimal): (text: string) => number | undefined {
  const digits = `\\d+|\\d{1,3}(?:${GROUPS[decimal]})`;
  const shape = new RegExp(`^([+-]?(?:${digits}))(?:\\${decimal}0{1,2})?$`);
  return (text) => {
    const whole = shape.exec(text)?.[1];
    return whole === undefined ? undefined : safeInteger(whole.replaceAll(/[^\d-]/g, ''));
  };
}

function safeInteger(text: string): number | undefined {
  const value = Number(text) || 0; // not -0, which JSON can't tell from 0
  return Number.isSafeInteger(value) ? value : undefined;
}

const MAX_LENGTH = 400;

function exactNumber(numeral: string): number | undefined {
  if (numeral.length > MAX_LENGTH || !isExactNumber(numeral)) return undefined;
  return Number(numeral) || 0; // not -0, which JSON can't tell from 0
}

/** The decimal sign with which a text would be read; both, where they read different numbers. */
function remedy(read: (decimal: Decimal) => number | undefined): readonly WrittenAs[] {
  const point = read('.');
  const comma = read(',');
  const found: WrittenAs[] = [];
  if (point !== undefined) found.push({ decimal: '.' });
  if (comma !== undefined && comma !== point) found.push({ decimal: ',' });
  return found;
}
