import { expect, test } from 'vitest';
import { compileReportKeyOf } from '../../src/mapping/row-key.ts';
import { cells, record, sourceOf } from './catalog.ts';

const csv = (...columns: string[]) => compileReportKeyOf('Ref', sourceOf('csv', columns));

test('when a report has the key column in another spelling, its keys are read', () => {
  expect(csv('name', 'REF\u00a0')?.(cells('N', 'K1'))).toBe('K1');
  expect(csv('REF', 'Ref')?.(cells('other', 'K1'))).toBe('K1');
});

test('when it is not known which column is the key, none is read', () => {
  expect(csv('name')).toBeNull();
  expect(csv('REF', 'ref')).toBeNull();
  expect(csv('Ref', 'Ref')).toBeNull();
});

test('when a report holds JSON records, the member is found in the same way', () => {
  const keyOf = compileReportKeyOf('party.Ref', sourceOf('ndjson', []));
  expect(keyOf?.(record({ party: { Ref: 'K1', REF: 'other' } }))).toBe('K1');
  expect(keyOf?.(record({ Party: { REF: 'K1' } }))).toBe('K1');
  expect(keyOf?.(record({ name: 'N' }))).toBeNull();
});
