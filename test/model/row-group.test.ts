import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/model/row.ts';
import { createGroupStart, MAX_GROUP_ROWS } from '../../src/model/row-group.ts';
import { groupRows } from '../support/group-rows.ts';

const row = (number: number, key: string): Row => ({
  kind: 'cells',
  row: number,
  line: number,
  cells: [key],
});
const rowsOf = (keys: readonly string[]) => keys.map((key, i) => row(i + 1, key));
const keyOf = (one: Row) => (one.kind === 'cells' && one.cells[0] !== '' ? (one.cells[0] ?? null) : null);
const numbersOf = (rows: readonly Row[]) =>
  groupRows(rows, keyOf).map((group) => group.map((one) => one.row));

describe('rows of one key', () => {
  test('that follow each other are a group; a later one of the same key is another', () => {
    expect(numbersOf(rowsOf(['a', 'a', 'b', 'a', 'c', 'c']))).toEqual([[1, 2], [3], [4], [5, 6]]);
  });

  test('without a key, or unreadable, are groups of their own', () => {
    const unreadable: Row = { kind: 'unreadable', row: 4, line: 4, text: 'x', problem: 'p' };
    const rows = [...rowsOf(['', '', 'a']), unreadable, row(5, 'a')];
    expect(numbersOf(rows)).toEqual([[1], [2], [3], [4], [5]]);
  });

  test('that were not beside each other in the file are no group in a rerun', () => {
    expect(numbersOf([row(3, 'a'), row(4, 'a'), row(7, 'a'), row(9, 'b'), row(10, 'b')])).toEqual([
      [3, 4],
      [7],
      [9, 10],
    ]);
  });

  test('are cut where they are too many', () => {
    const sizes = groupRows(rowsOf(Array(2 * MAX_GROUP_ROWS + 3).fill('a')), keyOf).map(
      ({ length }) => length,
    );
    expect(sizes).toEqual([MAX_GROUP_ROWS, MAX_GROUP_ROWS, 3]);
  });
});

test('no rows are no groups', () => {
  expect(groupRows([], keyOf)).toEqual([]);
});

test('whatever the keys, groups hold every row once, in order, and begin where the start says', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', '')), (keys) => {
      const rows = rowsOf(keys);
      const groups = groupRows(rows, keyOf);
      expect(groups.flat()).toEqual(rows);
      expect(rows.filter(createGroupStart(keyOf))).toEqual(groups.map(([first]) => first));
    }),
  );
});
