import { describe, expect, test } from 'vitest';
import { isJsonPointer, valueAtPointer } from '../../src/lib/json-pointer.ts';

/** The document and the values of RFC 6901, section 5. */
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('a JSON pointer', () => {
  test.each([
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j leads where RFC 6901 says', (pointer, value) => {
    expect(isJsonPointer(pointer)).toBe(true);
    expect(valueAtPointer(DOCUMENT, pointer)).toEqual(value);
  });

  test('~01 is a name with a tilde, no slash', () => {
    expect(valueAtPointer({ '~1': 'tilde', '/': 'slash' }, '/~01')).toBe('tilde');
  });

  test.each(['/foo/2', '/foo/-', '/foo/01', '/foo/length', '/none', '/foo/0/x', '/toString', '/__proto__'])(
    '%j leads to nothing',
    (pointer) => expect(valueAtPointer(DOCUMENT, pointer)).toBeUndefined(),
  );

  test.each(['foo', 'foo/0', '/~', '/a~2b', '#/foo'])('%j is none', (text) => {
    expect(isJsonPointer(text)).toBe(false);
  });
});
