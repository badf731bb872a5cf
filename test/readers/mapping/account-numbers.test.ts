import { describe, expect, test } from 'vitest';
import { fieldCatalog } from '../../../src/delivery/service/operations.ts';
import { mapCsv } from './catalog.ts';

const NUMBER = 'accounts.0.accountNumber';
const SORT_CODE = 'accounts.0.sortCodeUK';
const IBAN = 'accounts.0.iban';
const BIC = 'accounts.0.bic_swift';
const COUNTRY = 'accounts.0.country';
const ROUTING = 'accounts.0.routingNumber';

type Level = 'off' | 'warn' | 'error';
type Checks = { readonly accounts?: Level; readonly damage?: Level };
const CATALOG = fieldCatalog('counterparty.draft');

/** What is found in the row, as its severity, code and sentence. */
function found(row: Readonly<Record<string, string>>, checks: Checks = { accounts: 'error' }) {
  const settings = { checks: { number_cell: 'error' as const, same_row: 'error' as const, ...checks } };
  const mapped = mapCsv(row, settings, { catalog: CATALOG });
  const [severity, told] = mapped.kind === 'mapped' ? ['warn', mapped.warnings] : ['error', mapped.issues];
  return told.map(({ code, expected }) => `${severity} ${code}: ${expected}`);
}

describe('signs that nobody sees are named with their place, and keep the account from being sent', () => {
  test.each([
    [NUMBER, '\u200e12345678', 'an account number without U+200E at its beginning'],
    [NUMBER, '12345678\u200b', 'an account number without U+200B at its end'],
    [NUMBER, '\ufeff12345678', 'without U+FEFF at its beginning'],
    [NUMBER, '1234\u00ad5678', 'without U+00AD within it'],
    [NUMBER, '12345678\u00a0', 'without U+00A0 at its end'],
    [NUMBER, '12345678\t', 'without U+0009 at its end'],
    [NUMBER, '12345678\n', 'without U+000A at its end'],
    [NUMBER, '\u202d12345678\u202c', 'without U+202D at its beginning'],
    [NUMBER, '1234\u20075678', 'without U+2007 within it'],
    [IBAN, '\u200eGB33BUKB20201555555555', 'an IBAN without U+200E at its beginning'],
    [IBAN, 'GB33\u00a0BUKB20201555555555', 'an IBAN without U+00A0 within it'],
    [BIC, 'NWBKGB2L\u200b', 'a BIC without U+200B at its end'],
    [BIC, 'NWBK\u00a0GB2L', 'a BIC without U+00A0 within it'],
    [SORT_CODE, '20\u200b0415', 'a sort code without U+200B within it'],
    [SORT_CODE, '200415\u00a0', 'a sort code without U+00A0 at its end'],
    [ROUTING, '021000021\u200f', 'a routing number without U+200F at its end'],
  ])('%s %j', (column, text, words) => {
    const [finding = '', ...others] = found({ [column]: text });
    expect(finding).toMatch(/^error (?:account_implausible|iban_invalid|bic_invalid|sort_code_invalid): /);
    expect(finding).toContain(words);
    expect(others).toEqual([]);
  });
});

describe('what an account number can not be', () => {
  test.each([
    ['"12345678"', 'letters and digits'],
    ["'12345678", 'letters and digits'],
    ['=12345678', 'letters and digits'],
    ['12345678,', 'letters and digits'],
    ['12345678.', 'letters and digits'],
    ['１２３４５６７８', 'digits'],
    ['****5678', 'hidden'],
    ['•••• 5678', 'hidden'],
    ['XXXX5678', 'hidden'],
    ['xxxx-xxxx-5678', 'hidden'],
    ['TBC', 'has digits'],
    ['-', 'has digits'],
    ['see contract', 'has digits'],
    ['12345678 ', 'a space before or behind'],
  ])('%j', (text, words) => {
    expect(found({ [NUMBER]: text })).toEqual([
      expect.stringMatching(`^error account_implausible: .*${words}`),
    ]);
  });

  test.each([
    ['123456789012', true],
    ['O1234567', true],
    ['l2345678', true],
    ['12345', true],
    ['12345678', false],
    ['1234 5678', false],
    ['12-34-56-78', false],
    ['1234567890', false],
  ])('beside a UK sort code: %j (%s)', (text, isTold) => {
    const told = found({ [NUMBER]: text, [SORT_CODE]: '200415' });
    expect(told).toEqual(isTold ? [expect.stringContaining('beside a UK sort code')] : []);
    expect(found({ [NUMBER]: text })).toEqual([]);
  });

  test.each([
    '19-2000145399/0800',
    '1.234.567-8',
    'MT1234',
    '-056',
    '000 123 456',
    '117730161111101800000000',
  ])('other countries have %j', (text) => {
    expect(found({ [NUMBER]: text })).toEqual([]);
  });
});

describe('a BIC', () => {
  test.each(['NOTPROVIDED', 'BARCLAYS', 'DEUTSCHE', 'COMMERZBANK', 'CITIBANK', 'rabobank', 'POSTBANK'])(
    '%j is a name or a word that has its form by chance',
    (text) => {
      expect(found({ [BIC]: text })).toEqual([expect.stringMatching(/^error bic_invalid: .*name/)]);
    },
  );

  test.each([
    ['NWBKGB2L', 'DEU', true],
    ['NWBKGB2L', 'GBR', false],
    ['NWBKJESY', 'GBR', false],
    ['BNPAGPGX', 'FRA', false],
    ['AABAFI22', 'ALA', false],
    ['NWBKGB2L', '', false],
  ])('%s beside the country %j warns, whatever the job says: %s', (bic, country, warns) => {
    const row = { [BIC]: bic, [COUNTRY]: country };
    const words = expect.stringMatching(/^warn account_implausible: a BIC of the country/);
    expect(found(row)).toEqual(warns ? [words] : []);
    expect(found(row, {})).toEqual(warns ? [words] : []);
    expect(found(row, { accounts: 'off' })).toEqual([]);
  });

  test('is not compared beside an IBAN, which is', () => {
    const row = { [BIC]: 'NWBKGB2L', [COUNTRY]: 'GBR', [IBAN]: 'GB33BUKB20201555555555' };
    expect(found(row)).toEqual([]);
  });
});

test.each([
  [{ [COUNTRY]: 'US', country: 'DE' }, COUNTRY],
  [{ [COUNTRY]: '', 'address.country': 'USA' }, 'address.country'],
  [{ 'address.country': 'DE' }, null],
])('a routing number goes by the country of the account, else of the payee: %j', (beside, place) => {
  const told = found({ [ROUTING]: '123456789', ...beside }, { damage: 'off' });
  expect(told).toEqual(
    place === null ? [] : [expect.stringContaining(`since "${place}" is the United States`)],
  );
});
