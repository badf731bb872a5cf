import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldSource } from '../../../src/config/job-definition.ts';
import { integerConversion, numberConversion } from '../../../src/readers/mapping/numbers.ts';

type NumberSigns = Parameters<typeof numberConversion>[0];

import { issueWords } from '../../../src/model/sentence.ts';
import { cells, compileCsv } from './catalog.ts';

describe('when a number is written as in JSON', () => {
  const { fromText, fromJson } = numberConversion({});

  test.each([
    ['-0', 0],
    ['1e3', 1000],
    ['1E-7', 1e-7],
    ['9007199254740993', undefined],
    ['9007199254740992', 9007199254740992],
    ['0.1234567890123456789', undefined],
    ['100000000000000000000000', 1e23],
    ['1e400', undefined],
    ['1e-400', undefined],
    ['0e5', 0],
    ['1,5', undefined],
    ['1 000', undefined],
    ['007', undefined],
    ['+1', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['0x10', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    [' 1', undefined],
    ['1\n', undefined],
    ['١', undefined],
  ])('%j is %j', (text, value) => {
    expect(fromText(text)).toBe(value);
  });

  test('any finite double, written shortest, arrives as itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(fromText(String(value).replace('e+', 'e'))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  test('any decimal is kept to the last digit or refused', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.stringMatching(/^\d{0,12}$/));
    fc.assert(
      fc.property(decimal, ([whole, fraction]) => {
        const value = fromText(fraction === '' ? `${whole}` : `${whole}.${fraction}`);
        if (typeof value !== 'number' || Math.abs(value) >= 1e21 || (value !== 0 && value < 1e-6)) return;
        const [back = '', rest = ''] = String(value).split('.');
        expect([BigInt(back), rest]).toEqual([whole, fraction.replace(/0+$/, '')]);
      }),
    );
  });

  test('a cell of a million zeros is refused at once', () => {
    expect(fromText(`1${'0'.repeat(1_000_000)}1`)).toBeUndefined();
    expect(fromText(`0.${'0'.repeat(1_000_000)}`)).toBeUndefined();
  });

  test('a JSON number is taken as it is, anything else typed is not', () => {
    expect(fromJson(1.5)).toBe(1.5);
    expect(fromJson(true)).toBeUndefined();
  });
});

describe('when the definition names the decimal sign', () => {
  const GERMAN: NumberSigns = { decimal: ',' };
  const ENGLISH: NumberSigns = { decimal: '.' };
  test.each<[NumberSigns, string, number | undefined]>([
    [GERMAN, '1234,5', 1234.5],
    [GERMAN, '1.234.567,89', 1234567.89],
    [GERMAN, '1234567,89', 1234567.89],
    [GERMAN, '-1.234', -1234],
    [GERMAN, '1 234,5', 1234.5],
    [GERMAN, "1'234,5", 1234.5],
    [GERMAN, '12.34,5', undefined],
    [GERMAN, '1.2345', undefined],
    [GERMAN, '1234.567', undefined],
    [GERMAN, '0.123', undefined],
    [GERMAN, '1,5,5', undefined],
    [GERMAN, '1.5', undefined],
    [GERMAN, '1.234 567', undefined],
    [GERMAN, '1,234.5', undefined],
    [ENGLISH, '1,234.5', 1234.5],
    [ENGLISH, '1,5', undefined],
    [ENGLISH, '1 234', 1234],
    [ENGLISH, '1\u00a0234\u202f567', 1234567],
    [ENGLISH, '1\u2009234', 1234],
    [ENGLISH, "1'234", 1234],
    [ENGLISH, '1’234.5', 1234.5],
    [GERMAN, '9.007.199.254.740.993', undefined],
  ])('%j: %j is %j', (signs, text, value) => {
    expect(numberConversion(signs).fromText(text)).toBe(value);
  });

  test('grouped as the locale groups, any whole number is read back', () => {
    const { fromText } = numberConversion(GERMAN);
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(fromText(new Intl.NumberFormat('de-DE').format(value))).toBe(value);
      }),
    );
  });
});

test.each<[NumberSigns, string, number | undefined]>([
  [{}, '+12', 12],
  [{}, '-0', 0],
  [{}, '007', 7],
  [{}, '12.0', 12],
  [{}, '-3.00', -3],
  [{}, '1.000', undefined],
  [{}, '12.5', undefined],
  [{}, '1e3', undefined],
  [{}, '', undefined],
  [{}, ' 1', undefined],
  [{}, '9007199254740991', 9007199254740991],
  [{}, '9007199254740992', undefined],
  [{ decimal: '.' }, '1,234', 1234],
  [{ decimal: '.' }, '1,23', undefined],
  [{ decimal: '.' }, '1234', 1234],
  [{ decimal: '.' }, '1,234.0', 1234],
  [{ decimal: ',' }, '-1.234', -1234],
  [{ decimal: ',' }, '1 234', 1234],
  [{ decimal: ',' }, '1.000,00', 1000],
])('when a whole number is written with %j, %j is %j', (signs, text, value) => {
  expect(integerConversion(signs).fromText(text)).toBe(value);
});

test('when a whole number is expected, a JSON number has to be whole and safe', () => {
  const { fromJson } = integerConversion({});
  expect(fromJson(5)).toBe(5);
  expect([5.5, 2 ** 53, true].map((value) => fromJson(value))).toEqual(Array(3).fill(undefined));
});

function refused(field: string, signs: Record<string, string>, cell: string, typed: number[] = []): string {
  const source: FieldSource = { column: 'X', ...signs };
  const mapped = compileCsv(['X', 'name'], { fields: { [field]: source } }).map({
    ...cells(cell, 'y'),
    typed,
  });
  return mapped.kind === 'issues' ? mapped.issues.map(issueWords).join() : JSON.stringify(mapped.body);
}

test.each([
  ['kyc.volume', {}, '1.234.567', 'with decimal: "," in'],
  ['kyc.volume', {}, '99.643,65', 'with decimal: "," in'],
  ['kyc.volume', {}, '1234,56', 'with decimal: "," in'],
  ['kyc.volume', {}, '1,234', 'with decimal: "." or with decimal: "," in'],
  ['kyc.volume', {}, '1 234', 'with decimal: "." in'],
  ['kyc.volume', {}, '1 234,56', 'with decimal: "," in'],
  ['kyc.volume', { decimal: ',' }, '1,234.56', 'with decimal: "." in'],
  ['kyc.volume', { decimal: ',' }, '1234.56', 'with decimal: "." in'],
  ['kyc.payments', {}, '1.234', 'with decimal: "," in'],
  ['kyc.payments', {}, '1’234', 'with decimal: "." in'],
  ['currencies', {}, 'EUR, GBP', 'with separator: "," in'],
  ['currencies', {}, 'eur / gbp', 'with separator: "/" in'],
  ['currencies', {}, 'EUR GBP', 'with separator: " " in'],
  ['currencies', {}, 'EUR\r\nGBP', String.raw`with separator: "\n" in`],
  ['currencies', { separator: ',' }, 'EUR;GBP', 'with separator: ";" in'],
])('%s, %j: what would read %j is named', (field, signs, cell, remedy) => {
  expect(refused(field, signs, cell)).toContain(`; it is one ${remedy} the job definition`);
});

test.each([
  ['kyc.volume', {}, 'a lot'],
  ['kyc.volume', {}, '1.23.4'],
  ['kyc.volume', {}, '12345678901234567890'],
  ['kyc.payments', {}, '1.5'],
  ['kyc.payments', {}, '9007199254740993'],
])('%s, %j: for %j there is nothing to set', (field, signs, cell) => {
  expect(refused(field, signs, cell)).toMatch(/^column "X": expected a (whole )?number such as [^;]*$/);
});

test.each([
  [{}, '["EUR","GBP"]', '; or |'],
  [{}, '{EUR,GBP}', '; or |'],
  [{ separator: ',' }, "['EUR']", '","'],
  [{}, '"EUR","GBP"', '; or |'],
  [{}, 'EUR, GBP/USD', '; or |'],
])('of a list read with %j, %j is refused, with how to write it', (signs, cell, separator) => {
  const said = `a list of strings (in one cell: separated by ${separator}, no brackets)`;
  expect(refused('currencies', signs, cell)).toBe(`column "X": expected ${said}`);
});

test("a workbook's fraction is no grouped number", () => {
  expect(refused('kyc.payments', {}, '1.234', [0])).not.toContain('decimal');
});
