import { describe, expect, test } from 'vitest';
import {
  type ConvertedColumn,
  conversionFor,
  defaultConversion,
} from '../../../src/readers/mapping/field-conversion.ts';
import type { LeafType } from '../../../src/readers/mapping/request-field.ts';

function convertAs(type: LeafType, source: Omit<ConvertedColumn, 'column'>, text: string): unknown {
  const chosen = conversionFor(type, { column: 'c', ...source });
  return typeof chosen === 'string' ? chosen : chosen.fromText(text);
}

test.each([
  ['true', true],
  ['TRUE', true],
  ['Yes', true],
  ['y', true],
  ['1', true],
  ['false', false],
  ['No', false],
  ['N', false],
  ['0', false],
  ['', undefined],
  ['ja', undefined],
  [' true', undefined],
  ['2', undefined],
  ['truee', undefined],
])('when a boolean has no words of its own, %j is %j', (text, value) => {
  expect(defaultConversion('boolean').fromText(text)).toBe(value);
});

test.each<[Omit<ConvertedColumn, 'column'>, string, boolean | undefined]>([
  [{ true: ['J'], false: ['N'] }, 'J', true],
  [{ true: ['J'], false: ['N'] }, 'j', undefined],
  [{ true: ['J'], false: ['N'] }, 'true', undefined],
  [{ true: ['X'] }, 'X', true],
  [{ true: ['X'] }, 'NO', false],
  [{ true: ['X'] }, 'yes', undefined],
])('when a boolean is written with %j, %j is %j', (source, text, value) => {
  expect(convertAs('boolean', source, text)).toBe(value);
});

test.each([
  ['GB', 'GBR'],
  ['gb', 'GBR'],
  ['GBR', 'GBR'],
  ['deu', 'DEU'],
  ['XK', 'XKX'],
  ['xkx', 'XKX'],
  ['XKK', 'XKK'],
  ['zzz', 'ZZZ'],
  ['QQ', undefined],
  ['ß', undefined],
  ['ın', undefined],
  ['Deutschland', 'DEU'],
  ['Österreich'.normalize('NFD'), 'AUT'],
  ['12', undefined],
  ['826', undefined],
  [' GB', undefined],
])('when a country is written %j, it is %j', (text, code) => {
  expect(defaultConversion('country').fromText(text)).toBe(code);
});

test.each([
  ['EUR', ['EUR']],
  ['EUR;GBP', ['EUR', 'GBP']],
  [' EUR | GBP ', ['EUR', 'GBP']],
  [';EUR;;', ['EUR']],
  [';', null],
  ['a,b', ['a,b']],
])('when a list is written %j, it is %j', (text, list) => {
  expect(defaultConversion('string-list').fromText(text)).toEqual(list);
});

const unfit = (as: string, type: string, fitting: string) =>
  `as: ${as} doesn't fit a field of type ${type}; expected ${fitting}`;
const ambiguous = (word: string) =>
  `"${word}" would mean both true and false; expected words that mean one of them`;

describe('when a conversion does not fit', () => {
  test.each<[LeafType, Omit<ConvertedColumn, 'column'>, string]>([
    ['string', { as: 'boolean' }, unfit('boolean', 'string', 'string or date or country')],
    ['string', { as: 'number' }, unfit('number', 'string', 'string or date or country')],
    ['integer', { as: 'number' }, "as: number doesn't fit a field of type integer; expected integer"],
    ['string-list', { as: 'string' }, "as: string doesn't fit a field of type string-list; expected list"],
    ['boolean', { as: 'string' }, "as: string doesn't fit a field of type boolean; expected boolean"],
    ['string', { pattern: 'dd/MM/yyyy' }, 'pattern belongs to as: date, but this is as: string'],
    ['boolean', { decimal: '.' }, 'decimal belongs to as: number or integer, but this is as: boolean'],
    ['string', { true: ['Y'] }, 'true belongs to as: boolean, but this is as: string'],
    ['string', { separator: ',' }, 'separator belongs to as: list, but this is as: string'],
    ['boolean', { true: ['Y'], false: ['Y'] }, ambiguous('Y')],
    ['boolean', { true: ['no'] }, ambiguous('no')],
    ['date-time', { pattern: 'dd/MM' }, 'pattern "dd/MM": the year is missing'],
  ])('a %s with %j is refused', (type, source, problem) => {
    expect(convertAs(type, source, 'x')).toBe(problem);
  });

  test.each<[LeafType, Omit<ConvertedColumn, 'column'>, string, unknown]>([
    ['string', { as: 'date', pattern: 'dd.MM.yyyy' }, '01.02.2024', '2024-02-01T00:00:00.000Z'],
    ['string', { as: 'country' }, 'France', 'FRA'],
    ['country', { as: 'string' }, 'fr', 'fr'],
    ['date-time', { as: 'string' }, 'soon', 'soon'],
    ['number', { as: 'integer' }, '12', 12],
    ['string-list', { separator: ',' }, 'EUR, GBP,', ['EUR', 'GBP']],
    ['string-list', { separator: '/' }, 'north-east / a;b', ['north-east', 'a;b']],
    ['string-list', { separator: '\n' }, 'EUR\r\nGBP', ['EUR', 'GBP']],
  ])('but a %s with %j is taken', (type, source, text, value) => {
    expect(convertAs(type, source, text)).toStrictEqual(value);
  });
});

describe('when the definition says what certain cells mean', () => {
  test.each<[LeafType, Omit<ConvertedColumn, 'column'>, string, unknown]>([
    ['country', { values: { Teutonia: 'DEU' } }, 'Teutonia', 'DEU'],
    ['country', { values: { Teutonia: 'Germany' } }, 'Teutonia', 'DEU'],
    ['country', { values: { Teutonia: 'DEU' } }, 'France', 'FRA'],
    ['country', { values: { Teutonia: 'DEU' } }, 'teutonia', undefined],
    ['country', { values: { '-': null } }, '-', null],
    ['string', { values: { 1: 'individual' } }, '1', 'individual'],
    ['string', { values: { 1: 'individual' } }, '2', '2'],
    ['string', { values: { A: 'B' } }, 'constructor', 'constructor'],
    ['boolean', { values: { aktiv: true, gesperrt: false } }, 'gesperrt', false],
    ['integer', { values: { keine: 0 }, decimal: ',' }, 'keine', 0],
    ['integer', { values: { keine: 0 }, decimal: ',' }, '1.000', 1000],
    [
      'date-time',
      { values: { dann: '2024-02-01' }, pattern: 'dd.MM.yyyy' },
      'dann',
      '2024-02-01T00:00:00.000Z',
    ],
    ['string-list', { values: { 'EUR,USD': 'EUR;USD' } }, 'EUR,USD', ['EUR', 'USD']],
    [
      'string-list',
      { values: { Euro: 'EUR', beide: 'EUR;USD', '-': null } },
      'Euro; beide;GBP;-',
      ['EUR', 'EUR', 'USD', 'GBP'],
    ],
    ['string-list', { values: { '-': null } }, '-', null],
  ])('a %s with %j reads %j as %j', (type, source, text, value) => {
    expect(convertAs(type, source, text)).toEqual(value);
  });

  test('a value that the field cannot have is refused, with the cell', () => {
    expect(convertAs('integer', { values: { viele: 'many' } }, 'x')).toMatch(
      /^values, "viele": "many" doesn't fit the field; expected a whole number/,
    );
  });

  test('a number or a boolean of a JSON record is known by its text', () => {
    const chosen = conversionFor('string', { column: 'c', values: { 1: 'individual', true: 'yes' } });
    if (typeof chosen === 'string') throw new Error(chosen);
    expect([1, true, 2].map((value) => chosen.fromJson(value))).toEqual(['individual', 'yes', undefined]);
  });

  test('a number cell of a workbook is known by its text, whatever signs text has', () => {
    const chosen = conversionFor('number', { column: 'c', values: { 0.5: 1 }, decimal: ',' });
    if (typeof chosen === 'string') throw new Error(chosen);
    expect([chosen.typed?.fromText('0.5'), chosen.typed?.fromText('2.5'), chosen.fromText('2,5')]).toEqual([
      1, 2.5, 2.5,
    ]);
  });

  test('a cell that is none of them is answered with those that are', () => {
    const chosen = conversionFor('country', { column: 'c', values: { Teutonia: 'DEU' } });
    expect(chosen).toMatchObject({
      expected: expect.stringMatching(/, or a cell that .* values name: "Teutonia"$/),
    });
  });
});
