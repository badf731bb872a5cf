import { describe, expect, test } from 'vitest';
import { fieldCatalog } from '../../../src/delivery/service/operations.ts';
import { createFindMeaning } from '../../../src/readers/mapping/proposal/meaning.ts';
import { bodyOf, cells, compileCsv, compileJson, problemsOf, record } from './catalog.ts';

const PAYEE = { catalog: fieldCatalog('counterparty.draft') };
const SUBCLIENT = { catalog: fieldCatalog('subclient.update'), pathField: 'id', needsPathId: true };

describe('a header alone never fills what only the service sets:', () => {
  test.each([
    ...['id', 'ID', 'state', 'State', 'status', 'vanityId', 'actions', 'actions.0', 'payable.enabled'],
    ...['linkedDocuments.uri', 'parent.id', 'Parent.ID', 'parent.state', 'parent.vanityId'],
    ...[
      'accounts.0.actions',
      'accounts.1.networks.sepa.enabled',
      'accounts.0.verificationResponses.0.purpose',
    ],
  ])('%s', (column) => {
    const mapping = compileCsv(['name', column], {}, PAYEE);
    expect(bodyOf(mapping.map(cells('Foo', 'true')))).toEqual({ name: 'Foo' });
    expect(mapping.notes).toEqual([expect.stringContaining(`Not sent: "${column}".`)]);
  });

  test('of a JSON record, too, whatever is in it', () => {
    const columns = ['name', 'id', 'payable', 'payable.enabled', 'accounts.0.iban', 'accounts.0.networks'];
    const mapping = compileJson(columns, {}, PAYEE);
    const row = record({
      name: 'Foo',
      id: '5',
      payable: { enabled: true },
      accounts: [{ iban: 'X', networks: {} }],
    });
    expect(bodyOf(mapping.map(row))).toEqual({ name: 'Foo', accounts: [{ iban: 'X' }] });
    expect(mapping.notes).toEqual([
      expect.stringMatching(/^Not sent: "id", "payable", .* "fields": id: id$/),
    ]);
  });
});

describe('it is sent, and nothing is said,', () => {
  test('where a line under fields fills it', () => {
    const mapping = compileCsv(['name', 'State'], { fields: { state: 'State' } }, PAYEE);
    expect(bodyOf(mapping.map(cells('Foo', 'CA')))).toEqual({ name: 'Foo', state: 'CA' });
    expect(mapping.notes).toEqual([]);
  });

  test('where it is the key, or a part of the path', () => {
    expect(compileCsv(['id', 'name'], { key: 'id' }, PAYEE).notes).toEqual([]);
    const update = compileCsv(['id', 'details.name'], { operation: 'subclient.update' }, SUBCLIENT);
    expect(update.map(cells('S-1', 'Foo'))).toMatchObject({ pathId: 'S-1' });
    expect(update.notes).toEqual([]);
  });

  test('where it is ignored', () => {
    expect(compileCsv(['name', 'state'], { ignore: ['state'] }, PAYEE).notes).toEqual([]);
  });
});

test('such a field is never what a header may have meant', () => {
  const subclient = { catalog: fieldCatalog('subclient.create') };
  const [told] = problemsOf(() => compileCsv(['id'], { operation: 'subclient.create' }, subclient));
  expect(told).not.toContain('Did you mean');
});

test.each(['ParentId', 'parent_id', 'PARENTID', 'Parent ID', 'parent.id', 'Parent Account ID'])(
  'a proposal takes %s for a key of another record',
  (header) => {
    for (const operation of ['subclient.create', 'counterparty.draft'] as const) {
      const find = createFindMeaning(operation, fieldCatalog(operation), null);
      expect(find(header)).toMatchObject({ field: 'parent.id', isReference: true });
    }
  },
);
