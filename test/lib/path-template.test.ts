import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsIn, fillPath, parsePathTemplate } from '../../src/lib/path-template.ts';

test('a path has its own text and its columns', () => {
  const template = parsePathTemplate('/v3/things/{Thing Id}/accounts/x-{No.}');
  expect(template).toEqual([
    { text: '/v3/things/' },
    { column: 'Thing Id' },
    { text: '/accounts/x-' },
    { column: 'No.' },
  ]);
  if (typeof template === 'string') throw new Error(template);
  expect(columnsIn(template)).toEqual(['Thing Id', 'No.']);
});

test('whatever a cell holds, it stays one part of the path', () => {
  const template = parsePathTemplate('/v3/things/{A}/accounts');
  if (typeof template === 'string') throw new Error(template);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
      const parts = fillPath(template, () => value.toWellFormed()).split('/');
      expect(parts).toHaveLength(5);
      expect(decodeURIComponent(parts[3] ?? '')).toBe(value.toWellFormed());
    }),
  );
});

test.each([
  ['v3/things', 'a path below the base URL'],
  ['https://example.com/x', 'a path below the base URL'],
  ['/v3/{}', "a column's name"],
  ['/v3/{ }', "a column's name"],
  ['/v3/things?x=1', 'only signs that can stand in a path'],
  ['/v3/{A', 'only signs that can stand in a path'],
  ['/v3/a b', 'only signs that can stand in a path'],
  ['/v3/100%', 'only signs that can stand in a path'],
  ['//example.com/x', 'no empty part'],
  ['/v3//x', 'no empty part'],
  ['/v3/../x', 'no empty part'],
  ['/v3/..', 'no empty part'],
  ['/v3/%2e%2E/x', 'no empty part'],
  ['/v3/.%2e', 'no empty part'],
])('%s is refused', (text, expected) => {
  expect(parsePathTemplate(text)).toContain(expected);
});
