import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/model/row.ts';
import { createGroupEnd, createGroupStart, groupRows, MAX_GROUP_ROWS } from '../../src/model/row-group.ts';
import { keyedRow, keyedRows, keyOfRow } from '../support/keyed-rows.ts';

const groupsOf = (rows: readonly Row[]) =>
  groupRows(rows, keyOfRow).map(({ leader, members }) => [leader, ...members].map((one) => one.row));
const keylessOf = (rows: readonly Row[]) => groupRows(rows, keyOfRow).map(({ keyless }) => keyless);

describe('rows of one key', () => {
  test('that follow each other are a group; a later one of the same key is another', () => {
    expect(groupsOf(keyedRows(['a', 'a', 'b', 'a', 'c', 'c']))).toEqual([[1, 2], [3], [4], [5, 6]]);
  });

  test('without a key, or unreadable, are groups of their own', () => {
    const unreadable: Row = { kind: 'unreadable', row: 4, line: 4, text: 'x', problem: 'p' };
    const rows = [...keyedRows(['', '', 'a']), unreadable, keyedRow(5, 'a')];
    expect(groupsOf(rows)).toEqual([[1], [2], [3], [4], [5]]);
  });

  test('that were not beside each other in the file are no group in a rerun', () => {
    const rows = [keyedRow(3, 'a'), keyedRow(4, 'a'), keyedRow(7, 'a'), keyedRow(9, 'b'), keyedRow(10, 'b')];
    expect(groupsOf(rows)).toEqual([[3, 4], [7], [9, 10]]);
  });

  test('are cut where they are too many', () => {
    const sizes = groupsOf(keyedRows(Array(2 * MAX_GROUP_ROWS + 3).fill('a'))).map(({ length }) => length);
    expect(sizes).toEqual([MAX_GROUP_ROWS, MAX_GROUP_ROWS, 3]);
  });

  test('know the row without a key right before or after them', () => {
    expect(keylessOf(keyedRows(['a', 'a', '', 'b', 'c', '']))).toEqual([3, null, 3, 6, null]);
    // Rows of a rerun were not beside each other.
    expect(keylessOf([keyedRow(1, ''), keyedRow(3, 'a'), keyedRow(5, '')])).toEqual([null, null, null]);
  });

  test('are each for itself where the job does not group', () => {
    const rows = keyedRows(['a', 'a', '']);
    expect(groupRows(rows, null)).toEqual(rows.map((leader) => ({ leader, members: [], keyless: null })));
  });
});

test('no rows are no groups', () => {
  expect(groupRows([], keyOfRow)).toEqual([]);
});

test('a chunk ends between groups, and not between a group and a row without a key', () => {
  const mayEndBefore = createGroupEnd(keyOfRow);
  const ends = keyedRows(['a', 'a', 'b', '', '', 'c', 'd']).filter((one) => mayEndBefore(one, 1));
  expect(ends.map((one) => one.row)).toEqual([1, 3, 5, 7]);
  // Else a file of which every other row has lost its key would be one chunk.
  const rows = Array.from({ length: 2 * MAX_GROUP_ROWS + 2 }, (_, i) =>
    keyedRow(i + 1, i % 2 === 0 ? `k${i}` : ''),
  );
  const forced = createGroupEnd(keyOfRow);
  expect(rows.findIndex((one, size) => size > 0 && forced(one, size))).toBe(2 * MAX_GROUP_ROWS);
});

test('whatever the keys, groups hold every row once, in order, and begin where the start says', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', '')), (keys) => {
      const rows = keyedRows(keys);
      const groups = groupRows(rows, keyOfRow);
      expect(groups.flatMap(({ leader, members }) => [leader, ...members])).toEqual(rows);
      expect(rows.filter(createGroupStart(keyOfRow))).toEqual(groups.map(({ leader }) => leader));
    }),
  );
});
