import { describe, expect, test } from 'vitest';
import { compareContent, contentText, hasAccounts } from '../../src/model/content.ts';
import type { Reference } from '../../src/model/mapping.ts';
import type { JsonObject } from '../../src/model/request.ts';
import { packContent } from '../../src/readers/mapping/field-digests.ts';

const SALT = 'K-1';
const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'FR1420041010050500013M02606';

function packed(body: JsonObject, references: readonly Reference[] = []): string {
  return packContent({ body, references }, SALT);
}

function payee(...accounts: readonly JsonObject[]): JsonObject {
  return { name: 'Payee', accounts };
}

function referenceTo(key: string): Reference {
  return { space: 'subclient', key, path: ['parent', 'id'], column: 'owner' };
}

describe('the whole', () => {
  test('is the same in any order of its members', () => {
    expect(packed({ a: '1', b: { c: '2', d: '3' } })).toBe(packed({ b: { d: '3', c: '2' }, a: '1' }));
  });

  test.each<readonly [string, JsonObject, JsonObject]>([
    ['another value', { a: '1' }, { a: '2' }],
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['nothing and null', {}, { a: null }],
    ['an empty text and null', { a: '' }, { a: null }],
    ['a border between two texts', { a: ['x', 'yz'] }, { a: ['xy', 'z'] }],
    ['a name and a value', { a: 'b', c: 'd' }, { a: 'c', b: 'd' }],
    ['the order of a list', { a: ['x', 'y'] }, { a: ['y', 'x'] }],
    ['a list within a list', { a: [['x'], 'y'] }, { a: [['x', 'y']] }],
    ['a text that looks like the form', { a: '1', b: '2' }, { a: '1"1:b"1:2' }],
  ])('differs by %s', (_, one, other) => {
    expect(contentText({ body: one, references: [] })).not.toBe(contentText({ body: other, references: [] }));
    expect(packed(one)).not.toBe(packed(other));
  });

  test('has a reference by the key that it names', () => {
    const body = { name: 'Payee' };
    expect(packed(body, [referenceTo('S-1')])).not.toBe(packed(body, [referenceTo('S-2')]));
    expect(packed(body, [referenceTo('S-1')])).not.toBe(packed(body));
  });

  test('looks different in every record', () => {
    const record = { body: payee({ iban: IBAN }), references: [] };
    const [one, other] = [packContent(record, 'K-1'), packContent(record, 'K-2')];
    expect(one.slice(0, 8)).not.toBe(other.slice(0, 8));
    expect(one.slice(8)).not.toBe(other.slice(8));
  });
});

test('a record without an account has one digest, a payee one more for each of five', () => {
  const many = Array.from({ length: 6 }, (_, i) => ({ iban: `${IBAN}${i}` }));
  expect([0, 1, 5, 6].map((n) => packed(payee(...many.slice(0, n))).length)).toEqual([8, 15, 43, 15]);
  expect(hasAccounts(packed(payee()))).toBe(false);
  expect(hasAccounts(packed(payee({ iban: IBAN })))).toBe(true);
});

describe('accounts', () => {
  const compared = (before: JsonObject, now: JsonObject) => compareContent(packed(before), packed(now));

  test('nothing is said where nothing is known', () => {
    expect(compareContent('', packed(payee({ iban: IBAN })))).toBeNull();
  });

  test.each<readonly [string, readonly JsonObject[], readonly JsonObject[]]>([
    ['an IBAN as people write it', [{ iban: IBAN }], [{ iban: 'de89 3704 0044 0532 0130 00' }]],
    ['another order', [{ iban: IBAN }, { iban: OTHER_IBAN }], [{ iban: OTHER_IBAN }, { iban: IBAN }]],
    ['another name of the account', [{ iban: IBAN }], [{ iban: IBAN, alias: 'main' }]],
    [
      'a sort code with and without hyphens',
      [{ accountNumber: '31926819', sortCodeUK: '60-16-13' }],
      [{ accountNumber: '31926819', sortCodeUK: '601613' }],
    ],
    [
      'the head office, spelled out',
      [{ accountNumber: '1', bic_swift: 'COBADEFF' }],
      [{ accountNumber: '1', bic_swift: 'COBADEFFXXX' }],
    ],
    [
      'a bank beside the one that counts',
      [{ accountNumber: '1', bankCode: '370' }],
      [{ accountNumber: '1', bankCode: '370', bic_swift: 'COBADEFF' }],
    ],
  ])('are the same: %s', (_, before, now) => {
    expect(compared(payee(...before), payee(...now))?.accounts).toBe('same');
  });

  test('that are the same leave a difference of something else', () => {
    const other = { ...payee({ iban: IBAN }), name: 'Payee Ltd' };
    expect(compared(payee({ iban: IBAN }), other)).toEqual({ isSame: false, accounts: 'same' });
    expect(compared(other, other)).toEqual({ isSame: true, accounts: 'same' });
  });

  test.each<readonly [string, readonly JsonObject[], readonly JsonObject[], string]>([
    ['another IBAN', [{ iban: IBAN }], [{ iban: OTHER_IBAN }], 'changed'],
    ['another number', [{ accountNumber: '1' }], [{ accountNumber: '2' }], 'changed'],
    ['lost zeros', [{ accountNumber: '0012' }], [{ accountNumber: '12' }], 'changed'],
    [
      'another bank',
      [{ accountNumber: '1', bankCode: '370' }],
      [{ accountNumber: '1', bankCode: '371' }],
      'changed',
    ],
    [
      'one of two',
      [{ iban: IBAN }, { accountNumber: '1' }],
      [{ iban: OTHER_IBAN }, { accountNumber: '1' }],
      'changed',
    ],
    ['one more', [{ iban: IBAN }], [{ iban: IBAN }, { iban: OTHER_IBAN }], 'added'],
    ['the first one', [], [{ iban: IBAN }], 'added'],
    ['one less', [{ iban: IBAN }, { iban: OTHER_IBAN }], [{ iban: IBAN }], 'removed'],
    ['none any more', [{ iban: IBAN }], [], 'removed'],
    [
      'another national form for one account of each',
      [{ iban: IBAN }, { accountNumber: '1' }],
      [{ accountNumber: '2' }],
      'changed',
    ],
    ['an IBAN for a national form', [{ accountNumber: '0532013000' }], [{ iban: IBAN }], 'restated'],
    [
      'an IBAN for a national form, and another one',
      [{ accountNumber: '0532013000' }, { iban: OTHER_IBAN }],
      [{ iban: IBAN }, { iban: `${IBAN}1` }],
      'changed',
    ],
  ])('%s: %s to %s is %s', (_, before, now, expected) => {
    expect(compared(payee(...before), payee(...now))?.accounts).toBe(expected);
  });

  test('of which there are many count as one: another set of them is changed', () => {
    const many = Array.from({ length: 6 }, (_, i) => ({ iban: `${IBAN}${i}` }));
    expect(compared(payee(...many), payee(...many.toReversed()))?.accounts).toBe('same');
    expect(compared(payee(...many), payee(...many, { iban: IBAN }))?.accounts).toBe('changed');
    expect(compared(payee(...many), payee(...many.slice(1)))?.accounts).toBe('changed');
  });
});
