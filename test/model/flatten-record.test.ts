import { expect, test } from 'vitest';
import { flattenRecord, visitLeaves } from '../../src/model/flatten-record.ts';

const CASES = [
  {
    name: 'scalars stand at their own name',
    record: { a: 'x', b: 1, c: true, d: null },
    leaves: [
      ['a', 'x'],
      ['b', 1],
      ['c', true],
      ['d', null],
    ],
  },
  { name: 'nested objects are joined by dots', record: { a: { b: { c: 'x' } } }, leaves: [['a.b.c', 'x']] },
  {
    name: 'objects in a list go by their index',
    record: { a: [{ b: 1 }, { b: 2 }] },
    leaves: [
      ['a.0.b', 1],
      ['a.1.b', 2],
    ],
  },
  {
    name: 'a list of scalars is one leaf',
    record: { a: { b: ['x', null, 1] } },
    leaves: [['a.b', ['x', null, 1]]],
  },
  {
    name: 'a list of lists goes by the index of the outer list',
    record: { a: [['x'], []] },
    leaves: [
      ['a.0', ['x']],
      ['a.1', []],
    ],
  },
  {
    name: 'a mixed list goes by its index',
    record: { a: ['x', { b: 1 }] },
    leaves: [
      ['a.0', 'x'],
      ['a.1.b', 1],
    ],
  },
  {
    name: 'an empty list and an empty object are leaves',
    record: { a: [], b: {}, c: { d: {} } },
    leaves: [
      ['a', []],
      ['b', {}],
      ['c.d', {}],
    ],
  },
  {
    name: 'a name with dots stays the path it spells',
    record: { 'a.b': 1, 'c[0].d': 2 },
    leaves: [
      ['a.b', 1],
      ['c[0].d', 2],
    ],
  },
  { name: 'an empty record has no leaves', record: {}, leaves: [] },
];

test.each(CASES)('$name', ({ record, leaves }) => {
  expect([...flattenRecord(record)]).toEqual(leaves);
});

test('when two leaves share a path, the visitor sees both', () => {
  const seen: string[] = [];
  visitLeaves({ 'a.b': 1, a: { b: 2 } }, (path) => seen.push(path));
  expect(seen).toEqual(['a.b', 'a.b']);
});
