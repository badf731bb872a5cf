import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Issue } from '../../../src/model/issue.ts';
import type { Mapped, Reference } from '../../../src/model/mapping.ts';
import type { JsonObject } from '../../../src/model/request.ts';
import type { CellsRow, Row } from '../../../src/model/row.ts';
import { MAX_GROUP_ROWS } from '../../../src/model/row-group.ts';
import { mergeGroup } from '../../../src/readers/mapping/group.ts';
import { bodyOf, cells, compileCsv, compileJson, record } from './catalog.ts';

type Given = Partial<Extract<Mapped, { kind: 'mapped' }>> | readonly Issue[];

const row = (number: number): CellsRow => ({ kind: 'cells', row: number, line: number + 1, cells: [] });

function isIssues(given: Given): given is readonly Issue[] {
  return Array.isArray(given);
}

/** Merges rows 11, 12, … that map to what is given. */
function merge(given: readonly Given[], list = 'accounts') {
  const map = (one: Row): Mapped => {
    const made = given[one.row - 11] ?? {};
    if (isIssues(made)) return { kind: 'issues', issues: made };
    return { kind: 'mapped', body: {}, pathId: null, warnings: [], references: [], ...made };
  };
  const rows = given.map((_, i) => row(11 + i));
  return mergeGroup(rows, { map, keyOf: () => 'K', list, lacking: () => [] });
}

const bodies = (...all: readonly JsonObject[]) => all.map((body) => ({ body }));
const issue = (number: number, code: Issue['code'] = 'iban_invalid'): Issue => ({
  row: number,
  line: number + 1,
  column: 'IBAN',
  value: 'x',
  expected: 'an IBAN',
  code,
});
const reference = (key: string, ...path: readonly (string | number)[]): Reference => ({
  space: 'subclient',
  key,
  path,
  column: 'Parent',
});
const [PARENT, OTHER] = [reference('P', 'parent', 'id'), reference('Q', 'parent', 'id')];
const issuesOf = (merged: ReturnType<typeof merge>) =>
  merged.kind === 'issues' ? [...merged.issues].map(([number, found]) => [number, ...found]) : [];
const codesOf = (merged: ReturnType<typeof merge>) =>
  merged.kind === 'issues'
    ? [...merged.issues].map(([number, found]) => [number, ...found.map(({ code }) => code)].join(' '))
    : [];

describe('rows of one key', () => {
  test('are the first row’s body with the items of all in row order', () => {
    const merged = merge(
      bodies(
        { name: 'A', details: { town: 'T' }, accounts: [{ iban: 'I1' }] },
        { name: 'A', accounts: [{ iban: 'I2' }, { iban: 'I3' }] },
        { details: { town: 'T' } },
        { name: null, details: { town: null }, accounts: [{ iban: 'I1' }] },
      ),
    );
    expect(merged).toMatchObject({
      kind: 'mapped',
      body: {
        name: 'A',
        details: { town: 'T' },
        accounts: [{ iban: 'I1' }, { iban: 'I2' }, { iban: 'I3' }, { iban: 'I1' }],
      },
    });
  });

  test('give the first row’s body its list where it has none itself, also deeper in the body', () => {
    expect(merge(bodies({ name: 'A' }, { accounts: [1] }))).toMatchObject({
      body: { name: 'A', accounts: [1] },
    });
    expect(merge(bodies({ a: { b: null, c: 1 } }, { a: { b: ['x'] } }), 'a.b')).toMatchObject({
      body: { a: { b: ['x'], c: 1 } },
    });
  });

  test('leave the body as it stands where none has an item', () => {
    expect(merge(bodies({ accounts: [] }, { accounts: [] }))).toMatchObject({ body: { accounts: [] } });
    expect(merge(bodies({ name: 'A' }, {}))).toMatchObject({ body: { name: 'A' } });
  });

  test('keep their warnings by row, and the first one’s identifier', () => {
    const merged = merge([{ pathId: 'p' }, { warnings: [issue(12)] }, { pathId: 'p' }]);
    expect(merged).toMatchObject({ pathId: 'p', warnings: new Map([[12, [issue(12)]]]) });
  });

  test('have references into the list moved to their items, and the others once', () => {
    const merged = merge([
      {
        body: { accounts: [{ iban: 'I1' }] },
        references: [PARENT, reference('A', 'accounts', 0, 'parentId')],
      },
      {
        body: { accounts: [{ iban: 'I2' }] },
        references: [PARENT, reference('B', 'accounts', 0, 'parentId')],
      },
    ]);
    expect(merged).toMatchObject({
      references: [
        PARENT,
        reference('A', 'accounts', 0, 'parentId'),
        reference('B', 'accounts', 1, 'parentId'),
      ],
    });
  });

  test('whose item is nothing but a reference have their place in the list', () => {
    const merged = merge([
      { references: [reference('A', 'accounts', 0, 'parentId')] },
      { body: { accounts: [{ iban: 'I2' }] } },
    ]);
    expect(merged).toMatchObject({ body: { accounts: [{}, { iban: 'I2' }] } });
  });
});

describe('a group is not sent', () => {
  test('where one of its rows has issues: the others name it', () => {
    const merged = merge([{}, [issue(12, 'empty_row')], {}, [issue(14, 'empty_row')]]);
    expect(codesOf(merged)).toEqual(['11 group_member', '12 empty_row', '13 group_member', '14 empty_row']);
    expect(issuesOf(merged)[0]?.[1]).toMatchObject({
      row: 11,
      line: 12,
      column: null,
      value: null,
      expected: expect.stringContaining("row {row}, of the same key, can't be sent"),
      values: { row: '12' },
    });
  });

  test('where a later row says otherwise: the row that differs names every member', () => {
    const merged = merge(
      bodies(
        { name: 'A', details: { town: 'T' }, currencies: ['EUR'], accounts: [1] },
        { name: 'B', details: { town: 'T', floor: '1' }, currencies: ['EUR', 'GBP'], accounts: [2] },
        { name: 'A', accounts: [3] },
      ),
    );
    expect(codesOf(merged)).toEqual([
      '11 group_member',
      '12 group_conflict group_conflict group_conflict',
      '13 group_member',
    ]);
    expect(issuesOf(merged)[1]?.slice(1)).toMatchObject([
      { column: 'name', value: 'B', values: { row: '11' } },
      { column: 'details.floor', value: '1' },
      { column: 'currencies', value: '["EUR","GBP"]' },
    ]);
  });

  test.each([
    ['another identifier', [{ pathId: 'p' }, { pathId: 'q' }], 'id'],
    ['a value where the first row has null', bodies({ name: null }, { name: 'A' }), 'name'],
    ['a value where the first row has an object', bodies({ a: { b: 1 } }, { a: 'x' }), 'a'],
    ['another reference', [{ references: [PARENT] }, { references: [OTHER] }], 'Parent'],
    ['a reference that the first lacks', [{}, { references: [OTHER] }], 'Parent'],
  ])('where a later row has %s', (_, given, column) => {
    const merged = merge(given);
    expect(codesOf(merged)).toEqual(['11 group_member', '12 group_conflict']);
    expect(issuesOf(merged)[1]?.[1]).toMatchObject({ column });
  });

  test('where it is too large: every row says so', () => {
    const merged = merge(Array.from({ length: MAX_GROUP_ROWS }, () => ({})));
    expect(codesOf(merged)).toHaveLength(MAX_GROUP_ROWS);
    expect(new Set(codesOf(merged).map((line) => line.split(' ')[1]))).toEqual(new Set(['group_too_large']));
    expect(merge(Array.from({ length: MAX_GROUP_ROWS - 1 }, () => ({}))).kind).toBe('mapped');
  });
});

test('a row alone merges to itself', () => {
  const own = {
    body: { accounts: [{}], x: 1 },
    pathId: 'p',
    references: [reference('K', 'accounts', 0, 'parentId')],
  };
  expect(merge([{ ...own, warnings: [issue(11)] }])).toEqual({
    kind: 'mapped',
    ...own,
    warnings: new Map([[11, [issue(11)]]]),
  });
  expect(merge([[issue(11)]])).toEqual({ kind: 'issues', issues: new Map([[11, [issue(11)]]]) });
});

test('whatever the items, none is lost, doubled or moved', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer()), { minLength: 1, maxLength: 20 }), (lists) => {
      const merged = merge(bodies(...lists.map((accounts) => ({ name: 'A', accounts }))));
      expect(merged).toMatchObject({ kind: 'mapped', body: { name: 'A', accounts: lists.flat() } });
    }),
  );
});

const GROUP = { key: 'K', group: 'accounts' };

test('when columns fill the list that a definition groups by, each row maps to its own item', () => {
  const mapping = compileCsv(['K', 'name', 'accounts.0.country'], GROUP);
  expect(bodyOf(mapping.map(cells('K1', 'N', 'GB')))).toEqual({ name: 'N', accounts: [{ country: 'GBR' }] });
});

test('when the definition maps a column into the list, that fills it too', () => {
  const mapping = compileCsv(['K', 'Land'], { ...GROUP, fields: { 'accounts.0.country': 'Land' } });
  expect(bodyOf(mapping.map(cells('K1', 'GB')))).toEqual({ accounts: [{ country: 'GBR' }] });
});

test('when records hold the list, or there is no record yet, the group is accepted', () => {
  const mapping = compileJson(['K', 'accounts'], GROUP);
  expect(bodyOf(mapping.map(record({ K: 'K1', accounts: [] })))).toEqual({ accounts: [] });
  expect(() => compileJson([], GROUP)).not.toThrow();
});

test('when the list is one of texts, it may be grouped by as well', () => {
  const mapping = compileCsv(['K', 'currencies'], { key: 'K', group: 'currencies' });
  expect(bodyOf(mapping.map(cells('K1', 'EUR')))).toEqual({ currencies: ['EUR'] });
});

describe('required fields are asked of the record that the rows make together', () => {
  const columns = ['K', 'name', 'email', 'accounts.0.iban', 'accounts.0.country'];
  const mapped = (required: readonly string[], ...rows: readonly string[][]) => {
    const mapping = compileCsv(columns, { ...GROUP, required: [...required] });
    return codesOf(mapping.mapGroup(rows.map((own, i) => ({ ...row(11 + i), cells: ['K1', ...own] }))));
  };

  test('a later row may leave empty what the first one says', () => {
    expect(mapped(['name', 'email'], ['N', 'e@x', 'I1', 'GB'], ['', '', 'I2', 'GB'])).toEqual([]);
  });

  test('what the record lacks is the first row’s issue, once', () => {
    expect(mapped(['name', 'email'], ['N', '', 'I1', 'GB'], ['N', '', 'I2', 'GB'])).toEqual([
      '11 missing_required',
      '12 group_member',
    ]);
  });

  test('beside what else is wrong in the rows', () => {
    expect(mapped(['name'], ['', '', 'I1', 'GB'], ['', '', 'I2', 'nowhere'])).toEqual([
      '11 missing_required',
      '12 cell_not_convertible',
    ]);
    expect(mapped(['name', 'email'], ['', '', 'I1', 'nowhere'])).toEqual([
      '11 cell_not_convertible missing_required missing_required',
    ]);
  });

  test.each(['accounts.0.iban', 'accounts.#.iban'])('%s is asked of each row, which adds it', (field) => {
    expect(mapped([field], ['N', '', 'I1', 'GB'], ['', '', '', 'FR'])).toEqual([
      '11 group_member',
      '12 missing_required',
    ]);
  });

  test('the list itself is there where one of the rows adds to it', () => {
    expect(mapped(['accounts'], ['N', '', '', ''], ['N', '', 'I2', 'GB'])).toEqual([]);
    expect(mapped(['accounts'], ['N', 'e', '', ''], ['N', '', '', ''])).toEqual([
      '11 missing_required',
      '12 group_member',
    ]);
  });

  test('a reference fills its field', () => {
    const mapping = compileCsv(['K', 'P', 'accounts.0.iban'], {
      ...GROUP,
      fields: { 'parent.id': { column: 'P', ref: 'subclient' } },
      required: ['parent.id'],
    });
    const rows = [
      ['K1', 'S1', 'I1'],
      ['K1', '', 'I2'],
    ].map((own, i) => ({ ...row(11 + i), cells: own }));
    expect(mapping.mapGroup(rows)).toMatchObject({ kind: 'mapped', references: [{ key: 'S1' }] });
  });

  test('so is the identifier of the path', () => {
    const given = { pathField: 'id', needsPathId: true };
    const mapping = compileCsv(['K', 'id', 'currencies'], { key: 'K', group: 'currencies' }, given);
    const rows = (...ids: readonly string[]) =>
      ids.map((id, i) => ({ ...row(11 + i), cells: ['K1', id, 'EUR'] }));
    expect(mapping.mapGroup(rows('S1', ''))).toMatchObject({ kind: 'mapped', pathId: 'S1' });
    expect(codesOf(mapping.mapGroup(rows('', '')))).toEqual(['11 missing_required', '12 group_member']);
  });
});
