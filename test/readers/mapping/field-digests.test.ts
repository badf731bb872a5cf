import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/request.ts';
import { changedFields, packFieldDigests } from '../../../src/readers/mapping/field-digests.ts';

const BODY: JsonObject = {
  details: { name: 'Acme Ltd', vatNumber: 'GB1' },
  addresses: { primary: { town: 'Leeds', country: 'GBR' } },
  tags: ['a', 'b'],
};

test.each<[string, JsonObject, JsonObject | null]>([
  ['a body that the service has accepted', BODY, null],
  [
    'fields that changed, where they stand',
    {
      ...BODY,
      details: { name: 'Acme Limited', vatNumber: 'GB1' },
      addresses: { primary: { town: 'Leeds', country: 'GBR', postCode: 'LS1' } },
    },
    { details: { name: 'Acme Limited' }, addresses: { primary: { postCode: 'LS1' } } },
  ],
  ['a list, which is one field', { ...BODY, tags: ['a', 'c'] }, { tags: ['a', 'c'] }],
  ['a field that is left out', { details: { name: 'Acme Ltd' } }, null],
  ['null, which is another value than nothing', { ...BODY, tags: null }, { tags: null }],
])('what has changed of %s', (_, next, changed) => {
  expect(changedFields(next, 'K1', packFieldDigests(BODY, 'K1'))).toEqual(changed);
});

test('what was sent of it later is added to what was known', () => {
  const first = packFieldDigests(BODY, 'K1');
  const second = packFieldDigests({ details: { name: 'Acme Limited' } }, 'K1', first);
  const whole = { ...BODY, details: { name: 'Acme Limited', vatNumber: 'GB1' } };
  expect(changedFields(whole, 'K1', second)).toBeNull();
  expect(changedFields(BODY, 'K1', second)).toEqual({ details: { name: 'Acme Ltd' } });
});

describe('what is kept', () => {
  test('holds none of the values', () => {
    expect(packFieldDigests(BODY, 'K1')).not.toMatch(/Acme|Leeds|GB1/);
  });

  test('looks different for the same value of another record', () => {
    expect(packFieldDigests({ a: 'x' }, 'K1')).not.toBe(packFieldDigests({ a: 'x' }, 'K2'));
  });

  test('takes 18 characters per field', () => {
    expect(packFieldDigests(BODY, 'K1')).toHaveLength(5 * 18);
  });
});

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const bodies = fc.dictionary(
  fc.string({ minLength: 1 }),
  fc.oneof(leaf, fc.dictionary(fc.string({ minLength: 1 }), leaf, { minKeys: 1 })),
  { minKeys: 1 },
);

test('of any two bodies, what changed put over the first gives the second wherever the second says something', () => {
  fc.assert(
    fc.property(bodies, bodies, (before, after) => {
      const changed = changedFields(after, 'K', packFieldDigests(before, 'K'));
      const packed = packFieldDigests(changed ?? {}, 'K', packFieldDigests(before, 'K'));
      expect(changedFields(after, 'K', packed)).toBeNull();
    }),
    { numRuns: 200 },
  );
});
