import { expect, test } from 'vitest';
import { identityKeyOf } from '../../src/model/identity.ts';
import { sampleRow } from '../delivery/sample-task.ts';
import { sampleMapping } from '../support/mapping.ts';

const mapping = (hasKey: boolean, key: string | null) =>
  sampleMapping({
    hasKey,
    keyOf: () => key,
    map: () => ({ kind: 'mapped', body: {}, pathId: null, warnings: [], references: [] }),
  });

test('a row is known by its key; a row without one by nothing; without a key column by its place in the file', () => {
  const run = { sha256: 'abc' };
  expect(identityKeyOf(run, mapping(true, 'K7'), sampleRow(7))).toBe('K7');
  expect(identityKeyOf(run, mapping(true, null), sampleRow(7))).toBeNull();
  expect(identityKeyOf(run, mapping(false, null), sampleRow(7))).toBe('abc:7');
});
