import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobDefinition } from '../../../src/config/job-definition.ts';
import { issueWords } from '../../../src/model/sentence.ts';
import { bodyOf, cells, compileCsv, compileJson, mapCsv, record } from './catalog.ts';

/** Half surrogate pairs and control characters too. */
const ANY_CODE_UNIT = fc.nat(0xffff).map((code) => String.fromCharCode(code));

const IBAN = 'accounts.0.iban';
const PADDED = { code: 'unseen_sign', column: 'name' };

describe('when headers are field paths', () => {
  test('each cell lands in its place with the type of its field', () => {
    const mapped = mapCsv({
      name: 'Ä ',
      country: 'gb',
      'details.name': '007',
      'kyc.since': '2024-02-29',
      'kyc.payments': '12',
      'kyc.volume': '1.50',
      isPayer: 'YES',
      currencies: 'EUR; GBP|',
      'accounts.0.iban': ' GB33BUKB20201555555555',
      'accounts[0].currencies[0]': 'USD',
      'accounts[0].banks.0.bic': 'X',
    });
    expect(mapped).toEqual({
      kind: 'mapped',
      pathId: null,
      body: {
        name: 'Ä ',
        country: 'GBR',
        details: { name: '007' },
        kyc: { since: '2024-02-29T00:00:00.000Z', payments: 12, volume: 1.5 },
        isPayer: true,
        currencies: ['EUR', 'GBP'],
        accounts: [{ iban: ' GB33BUKB20201555555555', currencies: ['USD'], banks: [{ bic: 'X' }] }],
      },
      warnings: [expect.objectContaining(PADDED), expect.objectContaining({ ...PADDED, column: IBAN })],
      references: [],
    });
  });

  test('any text in a string field arrives as it stands, unless it is white space alone, or has a vertical tab', () => {
    const mapping = compileCsv(['name', 'accounts.3.iban']);
    fc.assert(
      fc.property(fc.string({ unit: ANY_CODE_UNIT, minLength: 1 }), (any) => {
        const text = any.replaceAll('\v', ' ');
        const body = { name: text, accounts: [{ iban: text }] };
        const expected = text.trim() === '' ? ['empty_row null null'] : body;
        expect(bodyOf(mapping.map(cells(text, text)))).toEqual(expected);
      }),
    );
  });

  test('empty cells leave their fields and their objects out', () => {
    const empty = { 'details.name': '', 'kyc.volume': '', currencies: ' ; ', 'accounts.0.iban': '' };
    expect(bodyOf(mapCsv({ name: 'N', ...empty }))).toEqual({ name: 'N' });
  });

  test('empty cells become null under emptyCell: null, but make no list items', () => {
    const empty = { 'details.name': '', 'kyc.volume': '', currencies: '', 'accounts.0.iban': '' };
    const second = { 'accounts.1.iban': 'X', 'accounts.1.country': '' };
    expect(bodyOf(mapCsv({ name: 'N', ...empty, ...second }, { emptyCell: 'null' }))).toEqual({
      name: 'N',
      details: { name: null },
      kyc: { volume: null },
      currencies: null,
      accounts: [{ iban: 'X', country: null }],
    });
  });

  test('lists are compacted in the order of their positions, whatever the order of the columns', () => {
    const columns = [12, 3, 7, 0].map((i) => `accounts.${i}.iban`);
    const mapping = compileCsv(['name', ...columns]);
    fc.assert(
      fc.property(
        fc.tuple(...[0, 1, 2, 3].map(() => fc.constantFrom('', 'A', 'B'))),
        ([a = '', b = '', c = '', d = '']) => {
          const ibans = [d, b, c, a].filter((iban) => iban !== '');
          const accounts = ibans.length === 0 ? {} : { accounts: ibans.map((iban) => ({ iban })) };
          expect(bodyOf(mapping.map(cells('N', a, b, c, d)))).toEqual({ name: 'N', ...accounts });
        },
      ),
    );
  });
});

describe('when the definition maps fields', () => {
  test('columns are converted as it says, and constants apply to every row', () => {
    const row = {
      Volume: '1.234.567,5',
      Since: '31/12/1999',
      'Payer?': 'J',
      Land: 'Germany',
      Payments: '1 000',
    };
    const fields: JobDefinition['fields'] = {
      'kyc.volume': { column: 'Volume', as: 'number', decimal: ',' },
      'kyc.since': { column: 'Since', as: 'date', pattern: 'dd/MM/yyyy' },
      isPayer: { column: 'Payer?', as: 'boolean', true: ['J'], false: ['N'] },
      'parent.id': { column: 'Land', as: 'country' },
      'kyc.payments': { column: 'Payments', decimal: ',' },
      'accounts.0.country': { value: 'GBR' },
      currencies: { value: 'EUR;USD' },
    };
    expect(bodyOf(mapCsv(row, { fields }))).toEqual({
      kyc: { volume: 1234567.5, since: '1999-12-31T00:00:00.000Z', payments: 1000 },
      isPayer: true,
      parent: { id: 'DEU' },
      accounts: [{ country: 'GBR' }],
      currencies: ['EUR', 'USD'],
    });
  });

  test('one column can fill several fields, and still fills the field it is named after', () => {
    const fields = { 'details.name': 'name', email: 'name' };
    expect(bodyOf(mapCsv({ name: 'N' }, { fields }))).toEqual({
      name: 'N',
      details: { name: 'N' },
      email: 'N',
    });
  });

  test('a definition may set the conversion of a header that is a field path', () => {
    const fields = { 'kyc.volume': { column: 'kyc.volume', decimal: ',' as const } };
    expect(bodyOf(mapCsv({ 'kyc.volume': '1,5' }, { fields }))).toEqual({ kyc: { volume: 1.5 } });
  });

  test('a constant alone keeps no list item that has columns', () => {
    const account = (iban: string) =>
      bodyOf(
        mapCsv(
          { name: 'N', 'accounts.0.iban': iban },
          { fields: { 'accounts.0.country': { value: 'GBR' } } },
        ),
      );
    expect(account('')).toEqual({ name: 'N' });
    expect(account('X')).toEqual({ name: 'N', accounts: [{ iban: 'X', country: 'GBR' }] });
  });

  test.each([
    [
      { Ref: 'K1', name: 'N' },
      { name: 'N', details: { taxId: 'K1' } },
    ],
    [{ Ref: 'K1', 'details.taxId': 'own' }, { details: { taxId: 'own' } }],
    [{ Ref: 'K1', name: 'N', 'details.taxId': '' }, { name: 'N' }],
  ])('the key goes where it says, unless the file has that field as a column of its own: %j', (row, body) => {
    expect(bodyOf(mapCsv({ ...row }, { key: 'Ref', fields: { 'details.taxId': 'Ref' } }))).toEqual(body);
  });

  test('ignored columns and those of a report file are not sent, but can still be mapped', () => {
    const row = { name: 'N', Note: 'x', email: 'e', onboard_row: '4', onboard_message: 'boo' };
    const settings = { ignore: ['Note', 'email', 'absent'], fields: { 'details.name': 'email' } };
    expect(bodyOf(mapCsv(row, settings))).toEqual({ name: 'N', details: { name: 'e' } });
  });
});

describe('when a definition names a key', () => {
  test('it is the cell as it stands, and null where the cell is empty or the row unreadable', () => {
    const mapping = compileCsv(['name', 'Ref'], { key: 'Ref' });
    expect(mapping.hasKey).toBe(true);
    expect(mapping.keyOf(cells('N', ' 007 '))).toBe(' 007 ');
    expect(mapping.keyOf(cells('N', ''))).toBeNull();
    expect(mapping.keyOf({ kind: 'unreadable', row: 1, line: 2, text: 'N,K', problem: 'x' })).toBeNull();
  });
});

describe('when a row can not be sent', () => {
  test('all its issues are reported with row, line, column, value and expectation', () => {
    const mapping = compileCsv(['Ref', 'kyc.volume', 'kyc.since', 'isPayer', 'name'], {
      key: 'Ref',
      required: ['name', 'kyc.volume'],
    });
    const mapped = mapping.map(cells('', '1,5', '31/02/2024', 'maybe', ''));
    expect(bodyOf(mapped)).toEqual([
      'empty_key Ref ""',
      'cell_not_convertible kyc.volume "1,5"',
      'cell_not_convertible kyc.since "31/02/2024"',
      'cell_not_convertible isPayer "maybe"',
      'missing_required name null',
    ]);
    const issues = mapped.kind === 'issues' ? mapped.issues : [];
    expect(issues.every((issue) => issue.row === 3 && issue.line === 7)).toBe(true);
    expect(issues.map(issueWords).join('\n')).not.toMatch(/1,5|31\/02|maybe/);
  });

  test('a row without any value is empty, constants notwithstanding', () => {
    const mapping = compileCsv(['name', 'accounts.0.iban'], { fields: { country: { value: 'GBR' } } });
    expect(bodyOf(mapping.map(cells('', '')))).toEqual(['empty_row null null']);
    expect(bodyOf(mapping.map(cells()))).toEqual(['empty_row null null']);
  });

  test('an unreadable row says why', () => {
    const problem = '2 cells where the header has 1';
    const mapped = compileCsv(['name']).map({ kind: 'unreadable', row: 9, line: 12, text: 'a,b', problem });
    const expected = `a readable row: ${problem}`;
    expect(mapped).toEqual({
      kind: 'issues',
      issues: [{ row: 9, line: 12, column: null, value: null, code: 'unreadable_row', expected }],
    });
  });
});

test.each([
  ['a field', ['name'], ['X', 'Y', 'EUR'], true],
  ['a field', ['name'], ['', 'Y', 'EUR'], 'Name'],
  ['a position', ['accounts.0.iban'], ['X', 'Y', ''], true],
  ['a position', ['accounts[0].iban'], ['X', '', ''], 'accounts.0.iban'],
  ['every item', ['accounts.#.iban'], ['X', '', 'EUR'], 'accounts.#.iban'],
  ['every item of none', ['accounts.#.iban'], ['X', '', ''], 'accounts.#.iban'],
  ['an object', ['accounts'], ['X', '', ''], 'accounts'],
  ['an object', ['accounts'], ['X', '', 'EUR'], true],
  ['a list', ['accounts.0.currencies'], ['X', 'Y', ';'], 'accounts.0.currencies'],
])('when fields are required, %s: %j of %j gives %j', (_, required, row, missing) => {
  const mapping = compileCsv(['Name', 'accounts.0.iban', 'accounts.0.currencies'], {
    fields: { name: 'Name' },
    required,
  });
  const mapped = mapping.map(cells(...row));
  const column = mapped.kind === 'mapped' ? true : mapped.issues.map((issue) => issue.column).join();
  expect(column).toBe(missing);
});

describe('when the path needs an identifier', () => {
  const UPDATE = { pathField: 'id', needsPathId: true } as const;

  test('its column fills the path and not the body, and can be the key as well', () => {
    const mapping = compileCsv(['id', 'name'], { key: 'id' }, UPDATE);
    expect(mapping.map(cells('a/b c', 'N'))).toEqual({
      kind: 'mapped',
      body: { name: 'N' },
      pathId: 'a/b c',
      warnings: [],
      references: [],
    });
    expect(mapping.keyOf(cells('a/b c', 'N'))).toBe('a/b c');
  });

  test('another column can be mapped to it', () => {
    const mapping = compileCsv(['Subclient', 'name'], { fields: { id: 'Subclient' } }, UPDATE);
    expect(mapping.map(cells('S1', 'N'))).toMatchObject({ pathId: 'S1', body: { name: 'N' } });
  });

  test('a row without it lacks something, unless the operation can do without', () => {
    expect(bodyOf(compileCsv(['id', 'name'], {}, UPDATE).map(cells('', 'N')))).toEqual([
      'missing_required id null',
    ]);
    const upsert = compileCsv(['id', 'name'], {}, { pathField: 'id', needsPathId: false });
    expect(upsert.map(cells('', 'N'))).toMatchObject({ kind: 'mapped', pathId: null });
    expect(compileCsv(['name'], {}, { pathField: 'id', needsPathId: false }).map(cells('N'))).toMatchObject({
      pathId: null,
    });
  });

  test.each(['.', '..', 'a\nb', '\u0000', '\u007f', '\ud800', 'a\udc00'])('%j is refused', (id) => {
    expect(bodyOf(compileCsv(['id', 'name'], {}, UPDATE).map(cells(id, 'N')))).toEqual([
      `bad_path_id id ${JSON.stringify(id)}`,
    ]);
  });

  test('an update that says nothing is an empty row', () => {
    expect(bodyOf(compileCsv(['id', 'name'], {}, UPDATE).map(cells('S1', '')))).toEqual([
      'empty_row null null',
    ]);
  });

  test('a call without a body has nothing to be empty of', () => {
    const mapping = compileCsv(
      ['paymentId'],
      { operation: 'payment.documents', key: 'paymentId' },
      { catalog: new Map(), pathField: 'paymentId', needsPathId: true },
    );
    expect(mapping.map(cells('P1'))).toEqual({
      kind: 'mapped',
      body: {},
      pathId: 'P1',
      warnings: [],
      references: [],
    });
  });
});

const COLUMNS = ['name', 'onboard_run', 'onboard_row', 'onboard_outcome', 'onboard_status', 'onboard_code'];

test.each([
  ['its outcome is in doubt', 'in-doubt', 'timeout'],
  // The report of a run that was given such a report says invalid.
  ['it was in doubt when its report was loaded before', 'invalid', 'row_in_doubt'],
])('a row is not sent from a report file where %s', (_, outcome, code) => {
  const mapping = compileCsv(COLUMNS);
  expect(mapping.map(cells('N', 'r', '1', outcome, '', code))).toMatchObject({
    kind: 'issues',
    issues: [{ code: 'row_in_doubt' }],
  });
  const mark = { run: 'r', row: 1, outcome, code };
  const json = compileJson(['name']);
  expect(json.map(record({ name: 'N', _onboard: mark }))).toMatchObject({
    kind: 'issues',
    issues: [{ code: 'row_in_doubt' }],
  });
});

test('another row of a report file is sent', () => {
  const mapping = compileCsv(COLUMNS);
  expect(mapping.map(cells('N', 'r', '1', 'invalid', '', 'empty_key')).kind).toBe('mapped');
});
