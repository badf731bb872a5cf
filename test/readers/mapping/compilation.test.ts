import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldName } from '../../../src/readers/mapping/request-field.ts';
import { ANY_TEXT, bodyOf, cells, compileCsv, compileJson, mapCsv, record } from './catalog.ts';

test.each([
  ['Legal Name', 'legal name'],
  ['LEGAL NAME', 'legal name'],
  [' Legal  Name ', 'legal name'],
  ['Legal\u00a0Name', 'legal name'],
  ['Legal\u202fName', 'legal name'],
  ['Legal\tName', 'legal name'],
  ['\ufeffLegal Name', 'legal name'],
  ['Le\u200bgal Na\u00adme', 'legal name'],
  ['Ｌｅｇａｌ Name', 'legal name'],
  ['STRASSE', 'strasse'],
  ['Straße', 'strasse'],
  ['Re\u0301f', 'réf'],
  ['Legal_Name', 'legal_name'],
  ['', ''],
])('%j reads as %j', (name, folded) => {
  expect(foldName(name)).toBe(folded);
});

test('a name that was read once reads the same again', () => {
  fc.assert(
    fc.property(ANY_TEXT, (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
    }),
  );
});

describe('when a header differs from the name in the definition only in what nobody sees', () => {
  test('it is the key, and issues name the column as the file has it', () => {
    const mapping = compileCsv(['PARTNER REF', 'KYC volume'], {
      key: 'Partner Ref',
      fields: { 'kyc.volume': 'KYC Volume' },
    });
    expect(mapping.keyOf(cells('K1', '1'))).toBe('K1');
    expect(bodyOf(mapping.map(cells('', 'much')))).toEqual([
      'empty_key PARTNER REF ""',
      'cell_not_convertible KYC volume "much"',
    ]);
  });

  test('the key still gives way to the own column of the field it fills', () => {
    const settings = { key: 'Ref', fields: { 'details.taxId': 'Ref' } };
    const body = { details: { taxId: 'own' } };
    expect(bodyOf(mapCsv({ REF: 'K1', 'details.taxId': 'own' }, settings))).toEqual(body);
  });

  test('it is ignored where the definition ignores it', () => {
    const row = { name: 'N', 'ACCOUNT MANAGER': 'x' };
    expect(bodyOf(mapCsv(row, { ignore: ['Account Manager'] }))).toEqual({ name: 'N' });
  });

  test('a header that is exactly a field is sent, though the definition ignores another spelling', () => {
    const row = { name: 'N', email: 'e' };
    expect(bodyOf(mapCsv(row, { ignore: ['Email'] }))).toEqual(row);
  });

  test('one that a setting names exactly is no rival of another spelling', () => {
    const row = { Ref: 'a', REF: 'b' };
    const both = { fields: { name: 'Ref', email: 'REF' } };
    expect(bodyOf(mapCsv(row, both))).toEqual({ name: 'a', email: 'b' });
    expect(bodyOf(mapCsv(row, { fields: { name: 'Ref' }, ignore: ['REF'] }))).toEqual({ name: 'a' });
  });
});

describe('when a header differs from a field path only in what nobody sees', () => {
  test.each([
    ['Details.Name', { details: { name: 'X' } }],
    ['NAME ', { name: 'X' }],
    ['Accounts[0].IBAN', { accounts: [{ iban: 'X' }] }],
    ['ACCOUNTS.2.IBAN', { accounts: [{ iban: 'X' }] }],
    ['Accounts[1].Banks.0.BIC', { accounts: [{ banks: [{ bic: 'X' }] }] }],
    ['Currencies', { currencies: ['X'] }],
    ['Kyc.Payments', { kyc: { payments: 7 } }],
  ])('%j fills it', (column, body) => {
    const cell = column === 'Kyc.Payments' ? '7' : 'X';
    expect(bodyOf(compileCsv([column]).map(cells(cell)))).toEqual(body);
  });

  test('the identifier of the path is found too', () => {
    const mapped = mapCsv({ ID: 'S1', name: 'N' }, {}, { pathField: 'id', needsPathId: true });
    expect(mapped).toMatchObject({ pathId: 'S1', body: { name: 'N' } });
  });

  test('a column that the definition takes up by name is not the field as well', () => {
    expect(bodyOf(mapCsv({ NAME: 'x' }, { fields: { email: 'Name' } }))).toEqual({ email: 'x' });
  });
});

test('members of JSON records are found like headers', () => {
  const mapping = compileJson(['REF', 'Details.Name', 'Internal.a'], { key: 'Ref', ignore: ['internal'] });
  const row = record({ REF: 'K1', Details: { Name: 'N' }, Internal: { a: 1 } });
  expect(mapping.keyOf(row)).toBe('K1');
  expect(bodyOf(mapping.map(row))).toEqual({ details: { name: 'N' } });
});

test('a column reads like none that is ignored where the file has that one by its very name', () => {
  const row = { 'DETAILS.NAME': 'A', 'details.NAME': 'B' };
  expect(bodyOf(mapCsv(row, { ignore: ['details.NAME'] }))).toEqual({ details: { name: 'A' } });
});
