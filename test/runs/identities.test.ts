import { expect, test } from 'vitest';
import { createFileIdentify } from '../../src/runs/identities.ts';
import { compiled, rowsOf, SUBCLIENTS } from './check/sample-portfolio.ts';

const KEYLESS = { ...SUBCLIENTS, key: undefined, ignore: ['IBAN', 'Ref'] };
const request = { name: 'sample.notice', method: 'POST', path: '/v1/notices/{Ref}' };
const BY_PATH = { operation: 'custom', request, fields: { name: 'Name' }, ignore: ['IBAN', 'Parent'] };

/** What rows (`Ref,Name,IBAN,Parent`) of one file are known by. */
function keysOf(job: object, ...lines: readonly string[]) {
  const { definition, mapping } = compiled(job);
  return rowsOf(lines)
    .map(createFileIdentify('abc', { definition, mapping }))
    .map((known) => known?.key);
}

test.each<[string, object, string, string, boolean]>([
  ['a column that is not sent', KEYLESS, 'A,Acme,GB1', 'B,Acme,GB2', true],
  ['a value', KEYLESS, ',Acme', ',acme', false],
  ['the key of what they refer to', KEYLESS, ',Acme,,P', ',Acme,,Q', false],
  ['a reference', KEYLESS, ',Acme,,P', ',Acme', false],
  ['the path alone', BY_PATH, 'A,Acme', 'B,Acme', false],
])('rows that differ in %s', (_, job, one, other, areOne) => {
  const [first, second] = keysOf(job, one, other);
  expect(first).toMatch(/^content:[0-9a-f]{32}:1$/);
  expect(first === second).toBe(areOne);
});

test('a row that does not map is known by nothing; one of a job that creates nothing by its place', () => {
  const update = { operation: 'subclient.update', fields: { id: 'Ref' }, ignore: ['IBAN', 'Parent', 'Name'] };
  expect(keysOf(KEYLESS, ',')).toEqual([undefined]);
  expect(keysOf(update, 'A', 'A')).toEqual(['abc:1', 'abc:2']);
});
