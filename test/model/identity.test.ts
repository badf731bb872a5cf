import { expect, test } from 'vitest';
import { identityWithoutKey } from '../../src/model/identity.ts';

const ENDS = ['content:ab:1', 'content:ab:3', null, 'abc:7', 'abc:7'];

test('a row without a key is known by its content and number, by nothing without one, or by its place', () => {
  const byContent = { sha256: 'abc', identity: 'content' } as const;
  const byPlace = { sha256: 'abc' };
  expect([
    identityWithoutKey(byContent, 7, { digest: 'ab' }),
    identityWithoutKey(byContent, 7, { digest: 'ab', nth: 3 }),
    identityWithoutKey(byContent, 7, undefined),
    identityWithoutKey(byPlace, 7, undefined),
    identityWithoutKey({ ...byPlace, identity: undefined }, 7, undefined),
  ]).toEqual(ENDS);
});
