import { expect, test } from 'vitest';
import { bodyOf, cells, compileCsv, compileJson, record } from './catalog.ts';

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
