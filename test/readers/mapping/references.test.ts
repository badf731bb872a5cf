import { describe, expect, test } from 'vitest';
import { withReferences } from '../../../src/model/json-record.ts';
import type { Mapped } from '../../../src/model/mapping.ts';
import type { JsonObject } from '../../../src/model/request.ts';
import { bodyOf, CATALOG, cells, compileCsv, compileJson, record } from './catalog.ts';

const PARENT = { fields: { 'parent.id': { column: 'Parent Ref', ref: 'subclient' as const } } };

/** The body and the references of a row that can be sent. */
function sentOf(mapped: Mapped): unknown {
  return mapped.kind === 'mapped' ? [mapped.body, mapped.references] : bodyOf(mapped);
}

describe('when a field takes the identifier of another record', () => {
  test('the body leaves it open, and the key is answered as it stands', () => {
    const mapping = compileCsv(['name', 'PARENT REF'], PARENT);
    expect(sentOf(mapping.map(cells('N', ' 007')))).toEqual([
      { name: 'N' },
      [{ space: 'subclient', key: ' 007', form: 'loose', path: ['parent', 'id'], column: 'PARENT REF' }],
    ]);
  });

  test('an empty cell refers to nothing', () => {
    expect(sentOf(compileCsv(['name', 'Parent Ref'], PARENT).map(cells('N', '')))).toEqual([
      { name: 'N' },
      [],
    ]);
    const nulls = compileCsv(['name', 'Parent Ref'], { ...PARENT, emptyCell: 'null' });
    expect(sentOf(nulls.map(cells('N', '')))).toEqual([{ name: 'N', parent: { id: null } }, []]);
  });

  test('a row that holds nothing else is not empty', () => {
    expect(sentOf(compileCsv(['name', 'Parent Ref'], PARENT).map(cells('', 'K')))).toMatchObject([
      {},
      [{ key: 'K' }],
    ]);
  });

  test('a required one counts as present, and is missed where the cell is empty', () => {
    const mapping = compileCsv(['name', 'Parent Ref'], { ...PARENT, required: ['parent.id'] });
    expect(sentOf(mapping.map(cells('N', 'K')))).toMatchObject([{ name: 'N' }, [{ key: 'K' }]]);
    expect(sentOf(mapping.map(cells('N', '')))).toEqual(['missing_required Parent Ref null']);
  });

  test('a member of a JSON record holds the key as text, or as a number that lost no digit', () => {
    const mapping = compileJson(['name', 'parentRef'], {
      fields: { 'parent.id': { column: 'parentRef', ref: 'counterparty' } },
    });
    const path = ['parent', 'id'];
    expect(sentOf(mapping.map(record({ name: 'N', parentRef: 17 })))).toEqual([
      { name: 'N' },
      [{ space: 'counterparty', key: '17', form: 'loose', path, column: 'parentRef' }],
    ]);
    expect(sentOf(mapping.map(record({ name: 'N' })))).toEqual([{ name: 'N' }, []]);
    expect(sentOf(mapping.map(record({ name: 'N', parentRef: true })))).toEqual([
      'cell_not_convertible parentRef "true"',
    ]);
  });

  test('in a list it goes where the item is after empty ones were left out', () => {
    const mapping = compileCsv(
      ['a', 'b', 'accounts.0.iban', 'accounts.3.banks.0.bic', 'c'],
      {
        fields: {
          'accounts.1.parentId': { column: 'a', ref: 'subclient' },
          'accounts.2.parentId': { column: 'b', ref: 'subclient' },
          'accounts.3.banks.1.bic': { column: 'c', ref: 'subclient' },
        },
      },
      { catalog: new Map([...CATALOG, ['accounts.#.parentId', 'string']]) },
    );
    const mapped = mapping.map(cells('', 'K', '', '', 'L'));
    expect(sentOf(mapped)).toMatchObject([
      { accounts: [{}, { banks: [{}] }] },
      [
        { key: 'K', path: ['accounts', 0, 'parentId'] },
        { key: 'L', path: ['accounts', 1, 'banks', 0, 'bic'] },
      ],
    ]);
    const { body, references } = mapped.kind === 'mapped' ? mapped : { body: {}, references: [] };
    const resolved = references.map(({ path, key }) => ({ path, id: `id of ${key}` }));
    expect(withReferences(body, resolved)).toEqual({
      accounts: [{ parentId: 'id of K' }, { banks: [{ bic: 'id of L' }] }],
    });
  });
});

describe('when identifiers are put into a body', () => {
  test('they stand in their places, and the body that was given stays as it is', () => {
    const body: JsonObject = { name: 'N', parent: { name: 'P' }, accounts: [{ iban: 'A' }, { iban: 'B' }] };
    const before = structuredClone(body);
    expect(
      withReferences(body, [
        { path: ['parent', 'id'], id: 'S1' },
        { path: ['accounts', 1, 'parentId'], id: 'S2' },
      ]),
    ).toEqual({
      name: 'N',
      parent: { name: 'P', id: 'S1' },
      accounts: [{ iban: 'A' }, { iban: 'B', parentId: 'S2' }],
    });
    expect(body).toEqual(before);
  });

  test('what is not there yet appears, and lists have no holes', () => {
    expect(withReferences({ parent: null }, [{ path: ['parent', 'id'], id: 'S' }])).toEqual({
      parent: { id: 'S' },
    });
    expect(withReferences({}, [{ path: ['accounts', 4, 'parentId'], id: 'S' }])).toEqual({
      accounts: [{ parentId: 'S' }],
    });
  });

  test('without any, the body is the same one', () => {
    const body = { name: 'N' };
    expect(withReferences(body, [])).toBe(body);
  });
});
