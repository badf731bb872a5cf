import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, merge, textReader } from '../../src/sandbox/answer.ts';

test.each([
  [{ a: 'x' }, 'x'],
  [{ a: '', b: { c: 'y' } }, 'y'],
  [{ a: 7, b: { c: 'y' } }, 'y'],
  [{ b: { c: null } }, null],
  [{ b: 'c' }, null],
  [null, null],
])('the first pointer that leads to text gives the key of %j', (value, key) => {
  expect(textReader(['/a', '/b/c'])(value)).toBe(key);
});

test('escaped pointer steps are read, inherited members are not', () => {
  expect(textReader(['/a~1b/c~0d'])({ 'a/b': { 'c~d': 'x' } })).toBe('x');
  expect(textReader(['/constructor/name'])({})).toBeNull();
});

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
