import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/model/row.ts';
import { createSpreadSample, profileOf } from '../../../src/readers/intake/profile.ts';

const row = (n: number, ...cells: string[]): Row => ({ kind: 'cells', row: n, line: n + 1, cells });

describe('a sample', () => {
  test.each([
    [3, [1, 2, 3]],
    [10, [1, 3, 5, 7, 9]],
    [33, [1, 9, 17, 25, 33]],
  ])('of %i rows is spread evenly from the first one on', (rows, kept) => {
    const sample = createSpreadSample(5);
    for (let n = 1; n <= rows; n += 1) sample.see([row(n)]);
    expect(sample.rows().map((one) => one.row)).toEqual(kept);
  });

  test('holds no more text than it may, and not the blocks that its cells were read from', () => {
    const sample = createSpreadSample(100, 1_000);
    const long = Array.from({ length: 64 }, (_, i) => row(i + 1, 'x'.repeat(100)));
    sample.see(long);
    const rows = sample.rows();
    expect(rows.map((one) => one.row)).toEqual([1, 17, 33, 49]);
    expect(JSON.stringify(rows).length).toBeLessThan(1_000);
    expect(rows[0]).toEqual(long[0]);
    expect(rows[0]).not.toBe(long[0]);
  });

  test('is the same however the rows come', () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => row(i + 1));
    const [one, many] = [createSpreadSample(16), createSpreadSample(16)];
    one.see(rows);
    for (const each of rows) many.see([each]);
    expect(one.rows()).toEqual(many.rows());
    expect(one.rows().length).toBeLessThanOrEqual(16);
  });
});

const profiled = (cells: readonly string[]) => {
  const sample = cells.map((cell, i) => row(i + 1, cell));
  return profileOf({ rows: cells.length, source: { columns: ['A'] }, sample }, null).columns[0];
};

test.each([
  ['12345678', 'digits 8'],
  ['2024-02-29', 'date-year-first- 16'],
  ['29.02.2024', 'date-year-last. 16'],
  ['02/29/2024', 'date-year-last/ 16'],
  ['1.234,56', 'number 8'],
  ['+44 20 7946 0018', 'phone 16'],
  ['a.b@c.example', 'address 16'],
  ['Acme Widgets Ltd', 'words 16'],
  ['Köln', 'word 4'],
  ['GB33BUKB20201555555555', 'code 32'],
  ['12 High Street', 'text 16'],
  ['x'.repeat(40), 'word >32'],
])('%s is built as %s', (cell, shape) => {
  expect(profiled([cell])?.shapes).toEqual({ [shape]: 1 });
});

test('a column has the share of its filled cells, of its commonest value, and of its four commonest shapes', () => {
  const cells = ['Ann', 'Ann', ' ', '', '1', '12-12-2024', 'a b', 'a@b'];
  expect(profiled(cells)).toEqual({
    name: 'A',
    filled: 0.75,
    repeated: 0.33,
    shapes: { 'word 4': 0.33, 'digits 2': 0.17, 'date-year-last- 16': 0.17, 'words 4': 0.17 },
  });
});

test('JSON records are profiled by the paths of their leaves; columns are named in order, unreadable rows left out', () => {
  const rows: Row[] = [
    { kind: 'record', row: 1, line: 1, text: '{"b":{"c":1},"a":"x"}' },
    { kind: 'record', row: 2, line: 2, text: '{"b":{"c":null}}' },
    { kind: 'unreadable', row: 3, line: 3, text: '{', problem: 'no JSON' },
  ];
  const profile = profileOf({ rows: 3, source: { columns: ['b.c', 'a'] }, sample: rows }, 0.5);
  expect(profile).toEqual({
    rows: 3,
    sampled: 2,
    known: 0.5,
    columns: [
      { name: 'a', filled: 0.5, repeated: 1, shapes: { 'word 2': 1 } },
      { name: 'b.c', filled: 0.5, repeated: 1, shapes: { 'digits 2': 1 } },
    ],
  });
});

test('of a file with many columns the profile stays small', () => {
  const columns = Array.from({ length: 500 }, (_, i) => `column ${i}`);
  const sample = Array.from({ length: 50 }, (_, i) => row(i + 1, ...columns.map((name) => `${name} ${i}`)));
  expect(JSON.stringify(profileOf({ rows: 50, source: { columns }, sample }, 1)).length).toBeLessThan(4_096);
});
