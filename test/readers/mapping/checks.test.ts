import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { type Issue, isRightIn, rightCell } from '../../../src/model/issue.ts';
import type { FieldCatalog, Mapped } from '../../../src/model/mapping.ts';
import { issueWords } from '../../../src/model/sentence.ts';
import type { CellCheck } from '../../../src/readers/mapping/checks/damage.ts';
import {
  escapedText,
  exportMark,
  isPlain,
  mojibake,
  rendering,
  scientificNotation,
  spreadsheetError,
  unseenSign,
} from '../../../src/readers/mapping/checks/damage.ts';
import { identifierChecks } from '../../../src/readers/mapping/checks/identifiers.ts';
import { compileMapping } from '../../../src/readers/mapping/mapping.ts';
import { createContext } from '../../../src/readers/mapping/row-context.ts';
import { textOf } from '../../house/source-files.ts';
import { csvSource } from '../../support/source.ts';
import { ANY_TEXT, bodyOf, cells, compileCsv, compileJson, mapCsv, record } from './catalog.ts';

const CATALOG: FieldCatalog = new Map([
  ['name', 'string'],
  ['postCode', 'string'],
  ['country', 'string'],
  ['id', 'string'],
  ['additionalInformation.crmId', 'string'],
  ['paymentReason', 'string-list'],
  ['kyc.since', 'date-time'],
  ['accounts.#.iban', 'string'],
  ['accounts.#.bic_swift', 'string'],
  ['accounts.#.sortCodeUK', 'string'],
  ['accounts.#.routingNumber', 'string'],
  ['accounts.#.accountNumber', 'string'],
  ['accounts.#.bankCode', 'string'],
  ['accounts.#.cnaps', 'string'],
  ['accounts.#.country', 'string'],
  ['accounts.#.currencies', 'string-list'],
  ['accounts.#.intermediaryBankAccounts.#.currency', 'string'],
  ['kyc.details.incorporationDate', 'date-time'],
  ['address.country', 'country'],
]);

type Settings = Record<string, unknown>;

/** A key that is damaged doesn't keep its row back. */
const LENIENT = { checks: { number_cell: 'warn' } };

function mapOf(row: Readonly<Record<string, string>>, settings: Settings = {}): Mapped {
  return mapCsv(row, settings, { catalog: CATALOG });
}

/** The warnings of a row that can be sent, as code and column. */
function warningsOf(mapped: Mapped): unknown {
  return mapped.kind === 'mapped'
    ? mapped.warnings.map(({ code, column }) => `${code} ${column}`)
    : bodyOf(mapped);
}

const EMPTY_ROW = createContext({ row: 1, line: 1 }, []);
const isHit = (check: CellCheck, text: string) => check.find(text, EMPTY_ROW) !== null;

/** What finds an account's identifier wrong, in a row that has nothing else. */
const found = (field: string, text: string, beside = '') =>
  identifierChecks(['accounts', 0, field], { of: () => () => beside, at: () => () => beside }, [])
    .map((check) => check.find(text, EMPTY_ROW))
    .find((expected) => expected !== null) ?? null;

test.each([
  ['1.23457E+11', true],
  ['1,23457E+11', true],
  ['-1.2e+5', true],
  ['1E+15', true],
  ['1.23457E11', true],
  ['1.2E-05', true],
  ['1E11', false],
  ['12E3', false],
  ['12.3E+4', false],
  ['E+11', false],
  ['1.E+11', false],
  ['123457', false],
  ['5e', false],
])('that %j was a long number: %j', (text, hit) => {
  expect(isHit(scientificNotation, text)).toBe(hit);
});

test.each([
  ...['#REF!', '#N/A', '#NAME?', '#VALUE!', '#DIV/0!', '#NULL!', '#NUM!', '###', '########'],
  ...['#BEZUG!', '#NV', '#NOM?', '#¡VALOR!', '#N/D', '#WAARDE!', '#NÚM!', 'Err:502'],
])('that %j is what a spreadsheet shows in place of a value', (text) => {
  expect(isHit(spreadsheetError, text)).toBe(true);
});

test.each([
  ...['#', '##', '#1', '#REF', 'REF!', 'N/A', '#N/A Ltd', 'see #REF!', '### x', '#NAME!', 'Err:5', 'err:502'],
])('that %j may be meant', (text) => {
  expect(isHit(spreadsheetError, text)).toBe(false);
});

test.each([
  ...['[object Object]', '[object Undefined]', 'undefined undefined', 'null null', '{"text":"Foo Ltd"}'],
  ...["{'a': 1}", '["12345678"]', '[{"a":1}]', "['a', 'b']", 'System.Data.DataRowView'],
  ...['System.Collections.Generic.List`1[System.String]', 'System.String[]', 'com.acme.Payee@1b2c3d4e'],
  ...['<acme.Payee object at 0x7f00aa>', '#<Acme::Payee:0x00007f>'],
])('that nobody typed %j', (text) => {
  expect(isHit(rendering, text)).toBe(true);
});

test.each([
  ...['[Foo] Ltd', '{Foo}', '"Foo" Ltd', 'System Ltd', 'System.out', 'Null', 'NaN Bakery'],
  ...['a.b@1234.example', '[object]', '(Object Object)', '<b>', 'Systems.Data', "['n Roll] Ltd"],
  ...['[in liquidation]', 'null'],
])('that somebody may have typed %j', (text) => {
  expect(isHit(rendering, text)).toBe(false);
});

test('a mark by which a spreadsheet takes a cell for text is told, and keeps no row back', () => {
  const marked = ['7.0', "'00123", "'+Plus GmbH", "'-", '="00125"', '="7"'];
  expect(marked.filter((text) => !isHit(exportMark, text))).toEqual([]);
  const meant = ["'s-Hertogenbosch", "'t Hof BV", '= A "B"', '"00123"', '7.05', '1.0.0'];
  expect(meant.filter((text) => isHit(exportMark, text))).toEqual([]);
  const keyed = { key: 'name', checks: { damage: 'error' } };
  expect(warningsOf(mapOf({ name: "'00123" }, keyed))).toEqual(['rendering name']);
});

test.each([
  ...[
    'Foo\\nBar',
    'Baz &amp; Co',
    'M&uuml;ller',
    '&#252;',
    'Foo%20Ltd',
    'F%C3%BCr',
    'Foo=C3=BC',
    '<p>Foo</p>',
  ],
  ...['Foo<br>Bar', '\\u00fcber', 'caf\\xe9'],
])('that %j was written for a program', (text) => {
  expect(isHit(escapedText, text)).toBe(true);
});

test.each([
  ...[
    'AT&T',
    'M&S; N',
    '100% Foo',
    '50%20',
    'a=b',
    'E=MC',
    '<Foo>',
    'a < b',
    'C:\\new',
    'Foo \\ Bar',
    'R&D Ltd; B',
  ],
])('that %j was written for people', (text) => {
  expect(isHit(escapedText, text)).toBe(text === '50%20');
});

test.each([
  ['\ufeffA3', 'U+FEFF'],
  ['Foo\u200b Ltd', 'U+200B'],
  ['\u202eBar', 'U+202E'],
  ['A\u00adB', 'U+00AD'],
  ['Leeds\u00a0', 'white space'],
  ['Boston   ', 'white space'],
])('a sign in %j that nobody sees is told', (text, sign) => {
  expect(unseenSign.find(text, EMPTY_ROW)).toContain(sign);
});

test.each([
  'Foo\u00a0Ltd',
  'شركة\u200f (ABC)',
  'نم\u200cایش',
  'Ångström',
  '株式会社　テスト',
  'ដែនសមុទ្រ\u200bឥណ្ឌា',
  'O’Neil – “B”',
  'क्\u200dष',
])('every sign of %j has its place', (text) => {
  expect(unseenSign.find(text, EMPTY_ROW)).toBeNull();
});

describe('where a field says what certain cells mean', () => {
  const IBAN = { column: 'IBAN', values: { none: null } };
  const fields = { 'accounts.0.iban': IBAN, name: { column: 'Name', values: { '#N/A': 'Unknown' } } };
  const read = (iban: string, name: string) =>
    mapOf({ Name: name, IBAN: iban }, { fields, checks: { accounts: 'error' } });

  test('the others are looked at as ever', () => {
    expect(read('GB33BUKB20201555555556', 'Acme')).toMatchObject({
      kind: 'issues',
      issues: [{ code: 'iban_invalid', column: 'IBAN' }],
    });
    expect(warningsOf(read('GB33BUKB20201555555555', '#REF!'))).toEqual(['spreadsheet_error Name']);
  });

  test('those are no damage', () => {
    expect(warningsOf(read('none', '#N/A'))).toEqual([]);
  });

  test('identifiers that are numbers in a workbook are found', () => {
    const column = { column: 'Post code', values: { none: null } };
    const mapping = compileCsv(['Post code'], { fields: { postCode: column } }, { catalog: CATALOG });
    const mapped = mapping.map({ ...cells('1234'), typed: [0] });
    expect(mapped.kind === 'issues' && mapped.issues.map(({ code }) => code)).toEqual(['number_cell']);
  });
});

describe('when an IBAN is judged', () => {
  // The examples that the IBAN registry prints.
  test.each([
    'GB33BUKB20201555555555',
    'DE89370400440532013000',
    'FR1420041010050500013M02606',
    'NO9386011117947',
    'MT84MALT011000012345MTLCAST001S',
    'SC18SSCB11010000000000001497USD',
    'GB33 BUKB 2020 1555 5555 55',
    'GB33 BUKB 2020 1555 5555 55 ',
    'gb33bukb20201555555555',
  ])('%j is one', (text) => {
    expect(found('iban', text)).toBeNull();
  });

  test.each([
    ['GB33BUKB20201555555556', /check digits fit/],
    ['GB33BUKB02201555555555', /two have changed places/],
    ['GB33BUKB2020155555555', /22 characters, as GB has them, got 21; a part of it is probably lost/],
    ['GB33BUKB202015555555550', /got 23; something in it is probably too many/],
    ['GB33BUKB2020155555555É', /letters and digits only/],
    ['GB52BUKBO0201555555555', /check digits fit|a letter and a digit are probably confused/],
    ['XX33BUKB20201555555555', /probably belongs to another column/],
    ['20201555555555', /its beginning is lost/],
    ['constructor', /another column/],
  ])('%j is none', (text, expected) => {
    expect(found('iban', text)).toMatch(expected);
  });

  test('a digit that is replaced by another one never passes', () => {
    const iban = 'DE89370400440532013000';
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: iban.length - 1 }),
        fc.integer({ min: 1, max: 9 }),
        (at, more) => {
          const digit = (Number(iban[at]) + more) % 10;
          expect(found('iban', iban.slice(0, at) + digit + iban.slice(at + 1))).not.toBeNull();
        },
      ),
    );
  });

  test('any text is judged', () => {
    fc.assert(fc.property(ANY_TEXT, (text) => found('iban', text) !== null));
  });
});

test.each([
  ['bic_swift', true, ['DEUTDEFF', 'DEUTDEFF500', 'deutdeff', 'DEUT DE FF']],
  ['bic_swift', false, ['DEUTDEF', 'DEUTDEFF50', 'DEUTXYFF', '12345678']],
  ['sortCodeUK', true, ['202015', '20-20-15', '20 20 15']],
  ['sortCodeUK', false, ['20-2015', '20201', '2020155', 'ABCDEF', '000000', '00-00-00']],
  ['routingNumber', true, ['021000021', '026009593']],
  ['routingNumber', false, ['021000022', '012000021', '21000021', '02100002X']],
])('what a %s may be (%s): %j', (field, isValid, texts) => {
  const beside = field === 'routingNumber' ? 'US' : '';
  expect(texts.filter((text) => (found(field, text, beside) === null) !== isValid)).toEqual([]);
});

describe('when text was misread', () => {
  test.each(
    (
      'CafÃ©|Itâ€™s|10Â\u00a0000|10Â 000|MÃ¼ller|Å\u0081Ã³dÅº|Î‘Î¸Î®Î½Î±|ï»¿name|ðŸ˜€' +
      '|Ð\u009cÐ¾Ñ\u0081ÐºÐ²Ð°|CÃƒÂ©sar|Zoë Ã©|BucureÈ™ti|æ\u009d±äº¬|ends with a quoteâ€' +
      '|Caf\ufffd'
    ).split('|'),
  )('%j is found', (text) => {
    expect(isHit(mojibake, text)).toBe(true);
  });

  test.each(
    (
      'Café|RENÉ’S|«Spaß»|„Weiß“|SÃO PAULO|MAÇÃ VERDE|Ångström|Øresund|À propos|Ä|ÉCOLE' +
      '|Naïve – “quoted” …|Łódź|Москва|東京|😀|50 °C £5 ®'
    ).split('|'),
  )('%j is left alone', (text) => {
    expect(isHit(mojibake, text)).toBe(false);
  });

  test('letters of Latin, Greek and Cyrillic are found whatever windows-1252 makes of them', () => {
    const decoder = new TextDecoder('windows-1252');
    const letter = fc.constantFrom(...'éèüößñçàøåÅłŁżčřőșțαβγωΑΩжщыЯ€’“–');
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 8 }), (text) => {
        expect(isHit(mojibake, decoder.decode(Buffer.from(text)))).toBe(true);
        // A sign behind a letter can look like it: Å and – are the bytes of Ŗ.
        expect(isHit(mojibake, text.replaceAll(/[€’“–]/g, ''))).toBe(false);
      }),
    );
  });
});

describe('when the definition says nothing of a check', () => {
  const found = (row: Readonly<Record<string, string>>, checks: Settings = {}) => {
    const [columns, values] = [Object.keys(row), Object.values(row)];
    const definition = jobDefinitionSchema.parse({ operation: 'counterparty.draft', checks });
    const source = csvSource({ columns });
    const compiling = { definition, source, catalog: CATALOG, pathField: null, needsPathId: false };
    const mapped = compileMapping(compiling).map(cells(...values));
    return mapped.kind === 'issues'
      ? mapped.issues.map(({ code }) => `error ${code}`)
      : mapped.warnings.map(({ code }) => `warn ${code}`);
  };

  test.each([
    ['scientific_notation', 'accounts.0.accountNumber', '1.23457E+11', 'damage'],
    ['spreadsheet_error', 'accounts.0.accountNumber', '#N/A', 'damage'],
    ['iban_invalid', 'accounts.0.iban', 'GB33BUKB20201555555556', 'accounts'],
    ['bic_invalid', 'accounts.0.bic_swift', 'NOPE', 'accounts'],
    ['sort_code_invalid', 'accounts.0.sortCodeUK', '2020', 'accounts'],
    ['mojibake', 'accounts.0.cnaps', 'CafÃ©', 'damage'],
    ['mojibake', 'accounts.1.bankCode', 'M\u0081ller', 'damage'],
  ])('%s in %s is an error, and a warning where the definition says so', (code, column, value, setting) => {
    expect(found({ [column]: value })).toEqual([`error ${code}`]);
    expect(found({ [column]: value }, { [setting]: 'warn' })).toEqual([`warn ${code}`]);
    expect(found({ [column]: value }, { [setting]: 'off' })).not.toContain(`error ${code}`);
  });

  test.each([
    ['scientific_notation', 'additionalInformation.crmId', '1.23457E+11'],
    ['spreadsheet_error', 'name', '#N/A'],
    ['mojibake', 'name', 'CafÃ©'],
    ['mojibake', 'name', 'M\u0081ller'],
    ['lost_leading_zero', 'accounts.0.cnaps', '11100000003'],
    ['account_implausible', 'accounts.0.accountNumber', 'GB33BUKB20201555555555'],
    ['account_implausible', 'accounts.0.currencies', 'XYZ'],
    ['value_implausible', 'accounts.0.country', 'Spain'],
  ])('%s in %s is a warning', (code, column, value) => {
    expect(found({ [column]: value })).toEqual([`warn ${code}`]);
  });

  test.each(['counterparty-drafts', 'counterparty-accounts'])(
    'the job %s, as it is shipped, sends no account that looks wrong',
    (name) => {
      const { checks } = parse(textOf(`jobs/${name}.yaml`));
      const row = { 'accounts.0.iban': 'GB33BUKB20201555555555', 'accounts.0.country': 'France' };
      expect(found(row, checks)).toEqual(['error account_implausible']);
      expect(found({ 'accounts.0.currencies': 'EUR;€' }, checks)).toEqual(['error account_implausible']);
      expect(found({ 'accounts.0.country': 'France' }, checks)).toEqual(['warn value_implausible']);
    },
  );
});

describe('when leading zeros are lost', () => {
  test.each<[Record<string, string>, string | null]>([
    [{ 'accounts.0.sortCodeUK': '20201' }, 'accounts.0.sortCodeUK'],
    [{ 'accounts.0.sortCodeUK': '02-20-15' }, null],
    [{ 'accounts.0.routingNumber': '21000021' }, null],
    [{ 'accounts.0.routingNumber': '021000021' }, null],
    [{ 'accounts.0.routingNumber': '21000021', 'accounts.0.country': 'US' }, 'accounts.0.routingNumber'],
    [{ 'accounts.0.routingNumber': '21000021', 'accounts.0.country': 'CA' }, null],
    [
      { 'accounts.0.accountNumber': '5555555', 'accounts.0.sortCodeUK': '202015' },
      'accounts.0.accountNumber',
    ],
    [{ 'accounts.0.accountNumber': '55555555', 'accounts.0.sortCodeUK': '202015' }, null],
    [{ 'accounts.0.accountNumber': '5555555', 'accounts.0.sortCodeUK': '' }, null],
    [{ 'accounts.0.accountNumber': '5555555', 'accounts.1.sortCodeUK': '202015' }, null],
    [{ 'accounts.0.cnaps': '11100000003' }, 'accounts.0.cnaps'],
    [{ 'accounts.0.bankCode': '49', 'accounts.0.country': 'ES' }, 'accounts.0.bankCode'],
    [{ 'accounts.0.bankCode': '49', 'accounts.0.country': 'DE' }, null],
    [{ postCode: '1067', country: 'DEU' }, 'postCode'],
    [{ postCode: '01067', country: 'DEU' }, null],
    [{ postCode: '184', country: 'IT' }, 'postCode'],
    [{ postCode: '84', country: 'IT' }, null],
    [{ postCode: '1067', country: 'CH' }, null],
    [{ postCode: '1067', country: '' }, null],
    [{ postCode: '1067' }, null],
    [{ postCode: 'D-1067', country: 'DE' }, null],
  ])('%j: %j', (row, column) => {
    expect(warningsOf(mapOf(row))).toEqual(column === null ? [] : [`lost_leading_zero ${column}`]);
  });

  test('a constant beside the cell counts', () => {
    const fields = { country: { value: 'DEU' } };
    expect(warningsOf(mapOf({ postCode: '1067' }, { fields }))).toEqual(['lost_leading_zero postCode']);
  });
});

describe('when an account contradicts itself', () => {
  const IBAN = { 'accounts.0.iban': 'GB33 BUKB 2020 1555 5555 55' };
  const [country, bic] = ['accounts.0.country', 'accounts.0.bic_swift'];

  test.each<[Record<string, string>, string | null]>([
    [{ [country]: 'DE' }, country],
    [{ [country]: 'Deutschland' }, country],
    [{ [country]: 'USA' }, country],
    [{ [bic]: 'DEUTDEFF' }, bic],
    [{ [bic]: 'deut de ff 500', [country]: 'GB' }, bic],
    [{ [bic]: 'BARCGB22', [country]: 'United Kingdom' }, null],
    // Their banks have IBANs of the United Kingdom.
    [{ [bic]: 'BARCJESH', [country]: 'Jersey' }, null],
    [{ [country]: 'IMN' }, null],
    [{ [country]: 'Atlantis' }, null],
    [{ 'accounts.1.country': 'DE', 'accounts.1.bic_swift': 'DEUTDEFF' }, null],
  ])('an IBAN of the United Kingdom beside %j names %j', (beside, named) => {
    const mapped = mapOf({ ...IBAN, ...beside }, { checks: { damage: 'off' } });
    const warnings = mapped.kind === 'mapped' ? mapped.warnings : [];
    expect(warnings.map(({ code }) => code)).toEqual(named === null ? [] : ['account_implausible']);
    if (named !== null) expect(warnings[0]?.expected).toContain(`"${named}"`);
  });

  test('a BIC of another country alone keeps no row back, another country does; a bank’s name is no BIC', () => {
    const read = (beside: Record<string, string>) =>
      mapOf({ ...IBAN, ...beside }, { checks: { accounts: 'error' } });
    expect(warningsOf(read({ [bic]: 'DEUTDEFF' }))).toEqual(['account_implausible accounts.0.iban']);
    expect(read({ [country]: 'DE' })).toMatchObject({ issues: [{ code: 'account_implausible' }] });
    expect(read({ [bic]: 'DEUTSCHE' })).toMatchObject({ issues: [{ code: 'bic_invalid' }] });
  });

  test('what the definition makes of the country counts', () => {
    const fields = { [country]: { column: 'Where', values: { DE: 'GBR' } } };
    expect(warningsOf(mapOf({ ...IBAN, Where: 'DE' }, { fields }))).toEqual([]);
  });

  // Hungarian accounts have such groups of zeros at their end.
  test.each([
    [false, ['GB33BUKB20201555555555', '12345678.0', '1234567890123450000']],
    [true, ['12345678', '117730161111101800000000', '1234567890123456789', '123456789012345000', '12.0.5']],
  ])('what an account number may be (%s): %j', (isOne, texts) => {
    const found = texts.map((text) => warningsOf(mapOf({ 'accounts.0.accountNumber': text })));
    const expected = isOne ? [] : ['account_implausible accounts.0.accountNumber'];
    expect(found).toEqual(texts.map(() => expected));
  });

  test('a routing number is judged where the country of its account says whose it is', () => {
    const number = { 'accounts.0.routingNumber': '123456789' };
    expect(warningsOf(mapOf(number))).toEqual([]);
    expect(warningsOf(mapOf({ ...number, [country]: 'Canada' }, { checks: { damage: 'off' } }))).toEqual([]);
    const mapped = mapOf({ ...number, [country]: 'US' });
    expect(warningsOf(mapped)).toEqual(['routing_number_invalid accounts.0.routingNumber']);
    expect(mapped.kind === 'mapped' && mapped.warnings[0]?.expected).toContain(`"${country}"`);
  });
});

describe("values that can't be right", () => {
  test.each([
    ['EUR', true],
    ['eur; USD|CNH', true],
    ['€', false],
    ['EUR;EURO', false],
    ['EUR and USD', false],
    ['DEM', false],
  ])('the currency %j is one of ISO 4217: %j', (cell, isOne) => {
    const hit = (column: string) => (isOne ? [] : [`account_implausible ${column}`]);
    const list = 'accounts.0.currencies';
    expect(warningsOf(mapOf({ [list]: cell }))).toEqual(hit(list));
    const mapping = compileJson([list], {}, { catalog: CATALOG });
    const currencies = cell.split(/[;|]/);
    expect(warningsOf(mapping.map(record({ accounts: [{ currencies }] })))).toEqual(hit(list));
    if (currencies.length > 1) return;
    const single = 'accounts.0.intermediaryBankAccounts.0.currency';
    expect(warningsOf(mapOf({ [single]: cell }))).toEqual(hit(single));
  });

  test('a currency is judged by what the definition makes of it', () => {
    const fields = { 'accounts.0.currencies': { column: 'In', values: { Euro: 'EUR', Dollar: 'US' } } };
    expect(warningsOf(mapOf({ In: 'Euro;GBP' }, { fields }))).toEqual([]);
    expect(warningsOf(mapOf({ In: 'Euro;Dollar' }, { fields }))).toEqual(['account_implausible In']);
  });

  const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  test.each([
    [true, ['1799-12-31', '0202-03-31', dayAfter(2)]],
    [false, ['1800-01-01', '2020-03-31', dayAfter(1)]],
  ])('that nothing was incorporated then (%s): %j', (isHit, dates) => {
    const field = 'kyc.details.incorporationDate';
    const source = { column: 'Since', pattern: 'dd.MM.yyyy' };
    const mapping = compileCsv(['Since'], { fields: { [field]: source } }, { catalog: CATALOG });
    for (const date of dates) {
      const written = date.split('-').reverse().join('.');
      const read = [cells(written), { ...cells(date), typed: [0] }].map((row) =>
        warningsOf(mapping.map(row)),
      );
      const found = [...read, warningsOf(mapOf({ [field]: date }))];
      const columns = ['Since', 'Since', field];
      expect(found).toEqual(columns.map((column) => (isHit ? [`value_implausible ${column}`] : [])));
    }
  });

  const PATTERNS = ['dd/MM/yyyy hh:mm a XXX', 'dd/MM/yyyy HH:mm:ssXX', 'dd/MM/yyyy H:mm X', 'dd-MM-yyyy'];
  test.each([
    [true, {}, ['2015-01-31T00:00:00+01:00', '2015-01-31T00:00:00.000-0530', '2015-01-31T00:00+02:00']],
    [false, {}, ['2015-01-31', '2015-01-31T00:00:00Z', '2015-01-31T00:00:00+00:00']],
    [false, {}, ['2015-01-31T09:30:00+01:00']],
    [true, { pattern: PATTERNS }, ['31/01/2015 12:00 am +01:00', '31/01/2015 00:00:00+0100']],
    [true, { pattern: PATTERNS }, ['31/01/2015 0:00 -05']],
    [false, { pattern: PATTERNS }, ['31/01/2015 12:00 AM Z', '31/01/2015 01:00:00+0100', '31-01-2015']],
  ])('a midnight of another time zone is no day (%s): %j %j', (isTold, notation, dates) => {
    const fields = { 'kyc.details.incorporationDate': { column: 'Since', ...notation } };
    const told = isTold ? ['value_implausible Since'] : [];
    for (const date of dates) expect(warningsOf(mapOf({ Since: date }, { fields }))).toEqual(told);
  });

  test.each([
    [true, ['España', 'Deutschland', 'United Kingdom']],
    [true, ['NAN', 'YES', 'TBC', 'EUR', 'GER', 'ENG', 'D', 'EL', '276', 'Atlantis', 'DE - Germany']],
    [false, ['DE', 'deu', 'UK', 'XK', 'NAM']],
  ])('a country goes out as typed, which is told of what is no code (%s): %j', (isTold, countries) => {
    for (const country of countries) {
      const mapped = mapOf({ country, 'accounts.0.country': country });
      expect(bodyOf(mapped)).toEqual({ country, accounts: [{ country }] });
      const columns = isTold ? ['country', 'accounts.0.country'] : [];
      expect(warningsOf(mapped)).toEqual(columns.map((column) => `value_implausible ${column}`));
    }
  });

  test.each([
    ['GER', 'DEU'],
    ['eng', 'GBR'],
    ['SUI', 'CHE'],
    ['EL', 'GRC'],
    ['TBC', null],
    ['EUR', null],
  ])('of %s the country is named that is probably meant: %s', (country, likely) => {
    const mapped = mapOf({ country });
    const expected = mapped.kind === 'mapped' ? (mapped.warnings[0]?.expected ?? '') : '';
    expect(expected).toMatch(/a country of ISO 3166/);
    expect(/([A-Z]{3}) is probably meant/.exec(expected)?.[1] ?? null).toBe(likely);
  });

  test('a name that becomes a code is none to tell of', () => {
    const fields = { country: { column: 'Land', as: 'country' } };
    expect(warningsOf(mapOf({ Land: 'España', 'address.country': 'Italien' }, { fields }))).toEqual([]);
  });

  test('what a service of its own calls a country is not known', () => {
    const request = { name: 'a.b', method: 'POST', path: '/a' };
    const fields = { country: 'country' };
    const definition = jobDefinitionSchema.parse({ operation: 'custom', request, fields });
    const source = csvSource({ columns: ['country'] });
    const compiling = { definition, source, catalog: CATALOG, pathField: null, needsPathId: false };
    expect(warningsOf(compileMapping(compiling).map(cells('España')))).toEqual([]);
  });
});

describe('when a row has damage', () => {
  const DAMAGED = {
    Ref: '1.2E+11',
    name: 'CafÃ©',
    paymentReason: 'a;Ã©',
    'accounts.0.iban': 'GB33BUKB20201555555556',
    'accounts.0.bic_swift': 'NOPE',
    'accounts.0.routingNumber': '123456789',
    'accounts.0.country': 'US',
    'accounts.1.sortCodeUK': '12345678',
  };

  test('it is sent as it stands, with a warning for each cell', () => {
    const mapped = mapOf(DAMAGED, { key: 'Ref', ...LENIENT });
    expect(mapped).toMatchObject({ kind: 'mapped', body: { name: 'CafÃ©' } });
    expect(warningsOf(mapped)).toEqual([
      'mojibake name',
      'mojibake paymentReason',
      'iban_invalid accounts.0.iban',
      'bic_invalid accounts.0.bic_swift',
      'routing_number_invalid accounts.0.routingNumber',
      'sort_code_invalid accounts.1.sortCodeUK',
      'scientific_notation Ref',
    ]);
  });

  test('a warning has row, line, column and value; its words hold no value', () => {
    const mapped = mapOf({ 'accounts.0.iban': '1.23457E+11', name: 'N' });
    const warnings: readonly Issue[] = mapped.kind === 'mapped' ? mapped.warnings : [];
    expect(warnings).toMatchObject([
      { row: 3, line: 7, column: 'accounts.0.iban', value: '1.23457E+11', code: 'scientific_notation' },
    ]);
    for (const word of Object.values(DAMAGED)) {
      const issues = mapOf(DAMAGED, {
        key: 'Ref',
        checks: { accounts: 'error', damage: 'error', number_cell: 'error' },
      });
      expect(issues.kind === 'issues' ? issues.issues.map(issueWords).join() : '').not.toContain(word);
    }
  });

  test('an error is never hidden by a warning about the same cell', () => {
    const row = { 'accounts.0.sortCodeUK': '20201' };
    expect(bodyOf(mapOf(row, { checks: { accounts: 'error' } }))).toEqual([
      'sort_code_invalid accounts.0.sortCodeUK "20201"',
    ]);
    expect(warningsOf(mapOf(row, { checks: { damage: 'off' } }))).toEqual([
      'sort_code_invalid accounts.0.sortCodeUK',
    ]);
  });

  test('a column that is the key and fills a field is warned of once', () => {
    const settings = { key: 'id', fields: { id: 'id' }, ...LENIENT };
    expect(warningsOf(mapOf({ id: '1.2E+11' }, settings))).toEqual(['scientific_notation id']);
  });

  // The next such row would pass for the same record.
  test.each([
    ['1.2E+11', 'scientific_notation'],
    ['#REF!', 'spreadsheet_error'],
  ])('a key that is %s keeps its row back as a number would, unless nobody wants to know', (Ref, code) => {
    const key = (checks: Settings) => mapOf({ Ref, name: 'N' }, { key: 'Ref', checks });
    const refused = [`${code} Ref "${Ref}"`];
    expect([bodyOf(key({})), bodyOf(key({ damage: 'warn' }))]).toEqual([refused, refused]);
    expect(bodyOf(key({ damage: 'error', number_cell: 'off' }))).toEqual(refused);
    expect(warningsOf(key({ damage: 'off' }))).toEqual([]);
    for (const given of ['warn', 'off'])
      expect(warningsOf(key({ number_cell: given }))).toEqual([`${code} Ref`]);
  });

  test('what a spreadsheet shows in place of a value is warned of in every kind of text, and nothing else of the cell', () => {
    const crmId = 'additionalInformation.crmId';
    const row = { name: '#NAME?', 'accounts.0.iban': '#N/A', paymentReason: '####', [crmId]: '#REF!' };
    expect(warningsOf(mapOf(row))).toEqual(Object.keys(row).map((column) => `spreadsheet_error ${column}`));
    expect(bodyOf(mapOf({ name: '#REF!' }, { checks: { damage: 'error' } }))).toEqual([
      'spreadsheet_error name "#REF!"',
    ]);
    expect(warningsOf(mapOf({ name: '#REF!' }, { checks: { damage: 'off' } }))).toEqual([]);
  });

  test('a reference is looked at like a key', () => {
    const settings = { fields: { id: { column: 'Parent', ref: 'subclient' } } };
    expect(warningsOf(mapOf({ Parent: '1.2E+11' }, settings))).toEqual(['scientific_notation Parent']);
  });

  test('text of JSON records is looked at as well', () => {
    const mapping = compileJson(['name', 'accounts.0.iban'], {}, { catalog: CATALOG });
    expect(warningsOf(mapping.map(record({ name: 'Ã©', accounts: [{ iban: 'GB' }] })))).toEqual([
      'mojibake name',
      'iban_invalid accounts.0.iban',
    ]);
  });
});

describe('when a workbook holds a number, a date or a boolean', () => {
  const mapping = (settings: Settings = {}) =>
    compileCsv(
      ['Ref', 'name', 'accounts.0.accountNumber'],
      { key: 'Ref', ...settings },
      { catalog: CATALOG },
    );
  const row = (...typed: number[]) => ({ ...cells('17', 'N', '55555555'), typed });

  test('in an identifier the row is not sent, and the message names the setting that lets it pass', () => {
    const mapped = mapping().map(row(0, 1, 2));
    expect(bodyOf(mapped)).toEqual(['number_cell accounts.0.accountNumber "55555555"']);
    const said = mapped.kind === 'issues' ? mapped.issues.map(issueWords).join() : '';
    expect(said).toContain('`numbers: right`');
  });

  test.each([
    ['55555555', []],
    ['1.5', ['number_cell']],
    ['00012', ['number_cell']],
  ])('in a column whose numbers are right, %s is told as %j', (cell, codes) => {
    const fields = { 'accounts.0.accountNumber': { column: 'Account', numbers: 'right' as const } };
    const compiled = compileCsv(['Account', 'name'], { fields }, { catalog: CATALOG });
    const mapped = compiled.map({ ...cells(cell, 'N'), typed: [0] });
    expect(mapped.kind === 'issues' ? mapped.issues.map(({ code }) => code) : []).toEqual(codes);
  });

  const keyed = (cell: string, settings: Settings = {}) => {
    const compiled = compileCsv(['Ref', 'name'], { key: 'Ref', ...settings }, { catalog: CATALOG });
    return compiled.map({ ...cells(cell, 'N'), typed: [0] });
  };

  test.each(['0', '17', '9007199254740991'])('the whole number %s is a key, with a warning', (cell) => {
    expect(warningsOf(keyed(cell))).toEqual(['number_cell Ref']);
    expect(warningsOf(keyed(cell, { fields: { id: 'Ref' } }))).toEqual(['number_cell Ref']);
  });

  test.each(['00017', '9007199254740992', '1.5', '-3', 'true', '2020-03-04'])('%s is none', (cell) => {
    expect(bodyOf(keyed(cell))).toEqual([`number_cell Ref "${cell}"`]);
  });

  test.each<[string, Settings]>([
    ['where zeros before it make another key', { keyForm: 'exact' }],
    ["where it is an account's, too", { fields: { 'accounts.0.accountNumber': 'Ref' } }],
    ['where it refers to another record', { fields: { id: { column: 'Ref', ref: 'subclient' } } }],
    ['in an identifier that is not the key', { key: 'name', fields: { id: 'Ref' } }],
  ])('no whole number passes %s', (_, settings) => {
    expect(bodyOf(keyed('17', settings))).toEqual(['number_cell Ref "17"']);
  });

  test('elsewhere it is as good as text', () => {
    expect(warningsOf(mapping().map(row(1)))).toEqual([]);
    expect(warningsOf(mapping().map(row()))).toEqual([]);
  });

  test('the definition may let it pass', () => {
    expect(warningsOf(mapping({ checks: { number_cell: 'warn' } }).map(row(0)))).toEqual(['number_cell Ref']);
    expect(warningsOf(mapping({ checks: { number_cell: 'off' } }).map(row(0)))).toEqual([]);
  });
});

test('a vertical tab is an issue where its column is sent, and nowhere else: the message names what takes it out', () => {
  const row = { id: 'K1', name: 'Foo\vBar', Note: 'a\vb', paymentReason: 'x;y\vz', postCode: '\v' };
  const mapped = mapOf(row, { key: 'id', ignore: ['Note'] });
  const issues = mapped.kind === 'issues' ? mapped.issues : [];
  expect(issues.map(({ column, code }) => [column, code])).toEqual([
    ['name', 'cell_not_convertible'],
    ['paymentReason', 'cell_not_convertible'],
  ]);
  expect(issues[0]?.expected).toContain('=SUBSTITUTE(A2,CHAR(11)," ")');
});

describe('a cell that somebody calls right', () => {
  const iban = 'DE75512108001245126198';
  const job = {
    operation: 'counterparty.draft',
    key: 'Ref',
    fields: { name: 'Name', 'accounts.0.iban': 'IBAN', 'accounts.0.holderName': 'Holder' },
    required: ['name'],
    checks: { accounts: 'error', damage: 'error' },
  };
  const columns = ['Ref', 'Name', 'IBAN', 'Holder'];
  const mapping = compileMapping({
    definition: jobDefinitionSchema.parse(job),
    source: csvSource({ columns }),
    catalog: new Map([
      ['name', 'string'],
      ['accounts.#.iban', 'string'],
      ['accounts.#.holderName', 'string'],
    ]),
    pathField: null,
    needsPathId: false,
  });
  const row = (...own: string[]) => ({ kind: 'cells', row: 7, line: 8, cells: own }) as const;
  const digest = (text: string) => `digest of ${text}`;
  const right = isRightIn([rightCell(7, 'iban_invalid', iban, digest)], digest);
  const told = (mapped: Mapped) =>
    mapped.kind === 'mapped'
      ? ['warns', ...mapped.warnings.map(({ code }) => code)]
      : ['refuses', ...mapped.issues.map(({ code }) => code)];

  test.each([
    ['is only warned of', row('K', 'Ada', iban, 'Ada'), ['warns', 'iban_invalid']],
    [
      'is right in its own row alone',
      { ...row('K', 'Ada', iban, 'Ada'), row: 8 },
      ['refuses', 'iban_invalid'],
    ],
    ['is no other cell', row('K', 'Ada', `${iban}9`, 'Ada'), ['refuses', 'iban_invalid']],
    ['is right for that check alone', row('K', 'Ada', iban, 'MÃ¼ller'), ['refuses', 'mojibake']],
    ['fills no required field', row('K', '', iban, 'Ada'), ['refuses', 'missing_required']],
    ['is no key', row('', 'Ada', iban, 'Ada'), ['refuses', 'empty_key']],
  ])('%s', (_, of, expected) => {
    expect(told(mapping.lifting(right).map(of))).toEqual(expected);
  });

  test('is an issue where nobody has said so, and in the same mapping as ever', () => {
    expect(told(mapping.map(row('K', 'Ada', iban, 'Ada')))).toEqual(['refuses', 'iban_invalid']);
    const none = isRightIn([], digest);
    expect(told(mapping.lifting(none).map(row('K', 'Ada', iban, 'Ada')))).toEqual([
      'refuses',
      'iban_invalid',
    ]);
  });

  test('may be a number that a workbook has where a key is meant', () => {
    const numbers = isRightIn([rightCell(7, 'number_cell', '1.5', digest)], digest);
    const typed = { ...row('1.5', 'Ada', '', ''), typed: [0] };
    expect(told(mapping.map(typed))).toEqual(['refuses', 'number_cell']);
    expect(told(mapping.lifting(numbers).map(typed))).toEqual(['warns', 'number_cell']);
  });
});

const OF_IDENTIFIERS = ['accountNumber', 'bankCode', 'bicSwift', 'cnaps', 'iban', 'routingNumber'].flatMap(
  (name) => identifierChecks([name], { of: () => () => '', at: () => () => '' }, []),
);
const PASSING_PLAIN = [
  ...[scientificNotation, spreadsheetError, rendering, exportMark, escapedText, unseenSign, mojibake],
  ...OF_IDENTIFIERS,
].filter(({ passesPlain }) => passesPlain === true);

const PIECES = [
  '1',
  '23',
  '.0',
  'E+11',
  'e5',
  'Err:502',
  'System.',
  'null',
  ' ',
  'Ltd',
  'é',
  'Ã©',
  '#REF!',
  '%20',
];
const DAMAGED_TEXT = fc.oneof(
  fc
    .array(fc.constantFrom(...PIECES, ...`aZ09.,'":;/()-+=@&<\\_\u00a0\u200b`))
    .map((parts) => parts.join('')),
  ANY_TEXT,
);

test('what passes plain texts finds nothing in any of them', () => {
  expect(PASSING_PLAIN.length).toBeGreaterThan(8);
  expect(
    ['Brindlemoor Instruments B.V.', 'Océlanne', '026749441', 'GBR', 'a: b'].filter(isPlain),
  ).toHaveLength(5);
  fc.assert(
    fc.property(DAMAGED_TEXT, (text) => {
      fc.pre(isPlain(text));
      const context = createContext({ row: 1, line: 2 }, [text]);
      expect(PASSING_PLAIN.map(({ find }) => find(text, context)).filter((found) => found !== null)).toEqual(
        [],
      );
    }),
    { numRuns: 2_000 },
  );
});
