import { expect, test } from 'vitest';
import { flattenRecord, visitLeaves } from '../../src/model/json-record.ts';

/** What a record is made of, and its leaves in their order. */
test.each([
  ['scalars stand at their own name', { a: 'x', b: 1, c: true, d: null }, { a: 'x', b: 1, c: true, d: null }],
  ['nested objects are joined by dots', { a: { b: { c: 'x' } } }, { 'a.b.c': 'x' }],
  ['objects in a list go by their index', { a: [{ b: 1 }, { b: 2 }] }, { 'a.0.b': 1, 'a.1.b': 2 }],
  ['a list of scalars is one leaf', { a: { b: ['x', null, 1] } }, { 'a.b': ['x', null, 1] }],
  ['a list of lists goes by the outer index', { a: [['x'], []] }, { 'a.0': ['x'], 'a.1': [] }],
  ['a mixed list goes by its index', { a: ['x', { b: 1 }] }, { 'a.0': 'x', 'a.1.b': 1 }],
  ['what is empty is a leaf', { a: [], b: {}, c: { d: {} } }, { a: [], b: {}, 'c.d': {} }],
  ['a name with dots stays the path it spells', { 'a.b': 1, 'c[0].d': 2 }, { 'a.b': 1, 'c[0].d': 2 }],
  ['an empty record has no leaves', {}, {}],
])('%s', (_, record, leaves) => {
  expect([...flattenRecord(record)]).toEqual(Object.entries(leaves));
});

test('when two leaves share a path, the visitor sees both', () => {
  const seen: string[] = [];
  visitLeaves({ 'a.b': 1, a: { b: 2 } }, (path) => seen.push(path));
  expect(seen).toEqual(['a.b', 'a.b']);
});
