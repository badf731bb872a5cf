import { describe, expect, test } from 'vitest';
import { flattenRecord } from '../../../src/model/json-record.ts';
import type { JsonObject } from '../../../src/model/request.ts';
import { bodyOf, type Compiling, compileJson, problemsOf, record } from './catalog.ts';

/** Maps one record with the columns that a reader finds in it. */
function mapRecord(value: JsonObject, settings: Record<string, unknown> = {}, more: Compiling = {}): unknown {
  return bodyOf(compileJson([...flattenRecord(value).keys()], settings, more).map(record(value)));
}

test('when a record has the shape of the request, the body is the record', () => {
  const value = {
    name: 'N',
    country: 'GBR',
    details: { name: '007' },
    kyc: { since: '2024-02-29T00:00:00.000Z', payments: 12, volume: 1.5 },
    isPayer: false,
    currencies: ['EUR', 'GBP'],
    accounts: [{ iban: ' DE1', currencies: ['USD'], banks: [{ bic: 'X' }, { bic: 'Y' }] }, { iban: 'B' }],
  };
  expect(mapRecord(value)).toEqual(value);
});

test('when a record spells field paths as names, they nest', () => {
  expect(mapRecord({ 'details.name': 'N', 'accounts[1].iban': 'B', 'accounts.0.iban': 'A' })).toEqual({
    details: { name: 'N' },
    accounts: [{ iban: 'A' }, { iban: 'B' }],
  });
});

test('when text stands where another type is meant, it is converted like a cell', () => {
  expect(
    mapRecord({
      kyc: { payments: '12', volume: '1.5', since: '2024-01-01' },
      isPayer: 'no',
      currencies: 'EUR|GBP',
      country: 'de',
    }),
  ).toEqual({
    kyc: { payments: 12, volume: 1.5, since: '2024-01-01T00:00:00.000Z' },
    isPayer: false,
    currencies: ['EUR', 'GBP'],
    country: 'DEU',
  });
});

test.each<[JsonObject, string, string]>([
  [{ name: 5 }, 'name', '5'],
  [{ name: true }, 'name', 'true'],
  [{ name: ['a'] }, 'name', '["a"]'],
  [{ isPayer: 1 }, 'isPayer', '1'],
  [{ kyc: { payments: 1.5 } }, 'kyc.payments', '1.5'],
  [{ kyc: { payments: 2 ** 53 } }, 'kyc.payments', '9007199254740992'],
  [{ kyc: { volume: true } }, 'kyc.volume', 'true'],
  [{ kyc: { since: 20240101 } }, 'kyc.since', '20240101'],
  [{ currencies: ['EUR', 5] }, 'currencies', '["EUR",5]'],
  [{ currencies: 5 }, 'currencies', '5'],
  [{ accounts: 'x' }, 'accounts', 'x'],
  [{ accounts: ['x'] }, 'accounts', '["x"]'],
  [{ accounts: {} }, 'accounts', '{}'],
  [{ details: [] }, 'details', '[]'],
  [{ details: 'x' }, 'details', 'x'],
])('when a value of the wrong JSON type stands in %j, it is an issue', (value, column, shown) => {
  expect(mapRecord(value)).toEqual([`cell_not_convertible ${column} ${JSON.stringify(shown)}`]);
});

test('when a string field gets a number, the issue asks for quotes', () => {
  const mapped = compileJson(['name']).map(record({ name: 5 }));
  expect(mapped).toMatchObject({ issues: [{ expected: 'a string (in quotes)' }] });
});

describe('when members are null or empty', () => {
  const value = {
    name: 'N',
    email: null,
    details: null,
    accounts: null,
    currencies: [null, 'EUR'],
  };

  test('nulls are empty cells and are left out', () => {
    expect(mapRecord(value)).toEqual({ name: 'N', currencies: ['EUR'] });
  });

  test('under emptyCell: null they stay', () => {
    expect(mapRecord(value, { emptyCell: 'null' })).toEqual({ ...value, currencies: ['EUR'] });
  });

  test('members that a record does not have stay away under emptyCell: null', () => {
    const mapping = compileJson(['name', 'email'], { emptyCell: 'null' });
    expect(bodyOf(mapping.map(record({ name: 'N' })))).toEqual({ name: 'N' });
  });

  test('empty lists say that there are none, and are sent', () => {
    expect(mapRecord({ currencies: [], accounts: [] })).toEqual({ currencies: [], accounts: [] });
  });

  test('empty objects say nothing', () => {
    expect(mapRecord({ details: {} })).toEqual(['empty_row null null']);
    expect(mapRecord({ name: 'N', details: {} })).toEqual({ name: 'N', details: {} });
    expect(mapRecord({ name: '', accounts: [{}, { iban: '' }] })).toEqual(['empty_row null null']);
    expect(mapRecord({ accounts: [{}, { iban: 'A' }] })).toEqual({ accounts: [{ iban: 'A' }] });
  });

  test('one record may leave empty what another fills', () => {
    const mapping = compileJson(['accounts', 'accounts.0.iban', 'details.name', 'details']);
    expect(bodyOf(mapping.map(record({ accounts: [], details: { name: 'N' } })))).toEqual({
      accounts: [],
      details: { name: 'N' },
    });
    expect(bodyOf(mapping.map(record({ accounts: [{ iban: 'A' }], details: {} })))).toEqual({
      accounts: [{ iban: 'A' }],
      details: {},
    });
  });
});

test('when a record spells one path twice, nested and with dots, it is an issue', () => {
  expect(
    bodyOf(compileJson(['details.name']).map(record('{"details":{"name":"a"},"details.name":"b"}'))),
  ).toEqual(['conflicting_columns details.name "b"']);
});

test('when a record comes from a report file, what the report added is not sent', () => {
  expect(mapRecord({ name: 'N', _onboard: { row: 5, message: 'x' }, onboard_row: 5 })).toEqual({ name: 'N' });
});

test('when a member is ignored, so is all that is in it', () => {
  expect(
    mapRecord(
      { name: 'N', internal: { a: 1, b: [{ c: 2 }] }, draft: { x: 1 } },
      { ignore: ['internal', 'draft'] },
    ),
  ).toEqual({ name: 'N' });
});

test('when a record has a member whose contents are not documented, the start is refused, unless it is ignored', () => {
  expect(problemsOf(() => compileJson(['name', 'draft.a', 'draft.__proto__.x']))).toEqual([
    expect.stringMatching(
      /^column "draft\.a": the contents of this member are not documented.* "draft" under "ignore"$/,
    ),
    expect.stringContaining('"__proto__" is refused'),
  ]);
  expect(mapRecord({ name: 'N', draft: { a: [1] } }, { ignore: ['draft'] })).toEqual({ name: 'N' });
});

test('when the text is no JSON object, the row is unreadable', () => {
  const mapping = compileJson(['name'], { key: 'name' });
  for (const text of ['[1]', '5', '{"name":', '']) {
    expect(bodyOf(mapping.map(record(text)))).toEqual(['unreadable_row null null']);
    expect(mapping.keyOf(record(text))).toBeNull();
  }
});

test('when a record has a member that the first reading did not find, it is an issue', () => {
  expect(bodyOf(compileJson(['name']).map(record({ name: 'N', email: 'x' })))).toEqual([
    'cell_not_convertible email null',
  ]);
});

test('when a file has no record, the columns it could have had are not missed', () => {
  expect(() =>
    compileJson([], { key: 'id', fields: { name: 'Legal Name' } }, { pathField: 'id', needsPathId: true }),
  ).not.toThrow();
});

test.each([
  [{ Ref: 'K1' }, 'Ref', 'K1'],
  [{ Ref: 17 }, 'Ref', '17'],
  [{ ref: { no: 'K' } }, 'ref.no', 'K'],
  [{ 'ref.no': 'K' }, 'ref.no', 'K'],
  [{ Ref: '' }, 'Ref', null],
  [{ Ref: null }, 'Ref', null],
  [{ Ref: true }, 'Ref', null],
  [{ Ref: 2 ** 53 }, 'Ref', null],
  [{}, 'Ref', null],
])('when the record is %j, its key %s is %j', (value, key, expected) => {
  const mapping = compileJson(['name', key], { key });
  expect(mapping.keyOf(record({ name: 'N', ...value }))).toBe(expected);
  expect(bodyOf(mapping.map(record({ name: 'N', ...value })))).toEqual(
    expected === null ? [expect.stringMatching(new RegExp(`^empty_key ${key} (null|".*")$`))] : { name: 'N' },
  );
});

test('when the path needs an identifier, a number is refused for it', () => {
  const mapping = compileJson(['id', 'name'], {}, { pathField: 'id', needsPathId: true });
  expect(mapping.map(record({ id: 'S1', name: 'N' }))).toMatchObject({ pathId: 'S1' });
  expect(bodyOf(mapping.map(record({ id: 12, name: 'N' })))).toEqual(['cell_not_convertible id "12"']);
  expect(bodyOf(mapping.map(record({ name: 'N' })))).toEqual(['missing_required id null']);
});
