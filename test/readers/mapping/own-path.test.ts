import { expect, test } from 'vitest';
import { catalogOf } from '../../../src/delivery/service/operations.ts';
import { cells, compileCsv, compileJson, definitionOf, problemsOf, record } from './catalog.ts';

const SETTINGS = {
  operation: 'custom' as const,
  key: 'Ref',
  request: { name: 'thing.addAccount', method: 'POST' as const, path: '/v3/things/{Thing Id}/x/{Ref}' },
  fields: { iban: 'IBAN' },
};
const MORE = { catalog: catalogOf(definitionOf(SETTINGS)) };
const COLUMNS = ['Ref', 'Thing Id', 'IBAN'];

test('the columns of the path are filled in, percent-encoded', () => {
  expect(compileCsv(COLUMNS, SETTINGS, MORE).map(cells('K1', 'a/b ü', 'I'))).toMatchObject({
    kind: 'mapped',
    pathId: '/v3/things/a%2Fb%20%C3%BC/x/K1',
    body: { iban: 'I' },
  });
});

test('so they are for a JSON record', () => {
  const mapping = compileJson(COLUMNS, SETTINGS, MORE);
  expect(mapping.map(record({ Ref: 'K1', 'Thing Id': 7, IBAN: 'I' }))).toMatchObject({
    pathId: '/v3/things/7/x/K1',
  });
});

test('a row that has nothing but its path is no empty row', () => {
  expect(compileCsv(COLUMNS, SETTINGS, MORE).map(cells('K1', 'a', ''))).toMatchObject({
    kind: 'mapped',
    body: {},
  });
});

test.each([
  ['', 'missing_required'],
  ['..', 'missing_required'],
  ['a/../b', 'bad_path_id'],
  ['a\u0000b', 'bad_path_id'],
])('a row with %j for the path is not sent', (value, code) => {
  expect(compileCsv(COLUMNS, SETTINGS, MORE).map(cells('K1', value, 'I'))).toMatchObject({
    kind: 'issues',
    issues: [{ code, column: 'Thing Id' }],
  });
});

test('a file without a column of the path is refused, and so is a column that nothing takes', () => {
  expect(problemsOf(() => compileCsv(['Ref', 'IBAN', 'Other'], SETTINGS, MORE)).join('\n')).toMatch(
    /column "Other": custom has no such field[\s\S]*no column "Thing Id", from which the job takes the request's path/,
  );
});
