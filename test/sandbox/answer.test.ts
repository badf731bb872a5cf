import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, merge } from '../../src/sandbox/answer.ts';

test('objects merge member by member, lists and null replace', () => {
  expect(merge({ a: { x: 1, y: 2 }, l: [1, 2], s: 'old' }, { a: { y: 3 }, l: [9], s: null })).toEqual({
    a: { x: 1, y: 3 },
    l: [9],
    s: null,
  });
});

test('what was sent is what stands after a merge, and merging it again changes nothing', () => {
  const members = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.jsonValue());
  fc.assert(
    fc.property(members, members, (known, sent) => {
      const merged = merge(known, sent);
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
      expect(merge(merged, sent)).toEqual(merged);
      for (const [name, value] of Object.entries(sent)) {
        if (!isObject(value)) expect(Object.getOwnPropertyDescriptor(merged, name)?.value).toEqual(value);
      }
    }),
  );
});
