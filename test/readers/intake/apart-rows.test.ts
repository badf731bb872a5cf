import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/model/row.ts';
import { groupRows, MAX_GROUP_ROWS } from '../../../src/model/row-group.ts';
import { createApartRows } from '../../../src/readers/intake/apart-rows.ts';
import { keyedRow, keyedRows, keyOfRow } from '../../support/keyed-rows.ts';

describe('groups whose key has rows elsewhere', () => {
  const othersOf = (rows: readonly Row[]) => {
    const apart = createApartRows({ keyOf: keyOfRow, groupOf: keyOfRow });
    for (const one of rows) apart.see(one);
    const others = new Map(apart.found());
    return groupRows(rows, keyOfRow).map(({ leader }) => others.get(leader.row) ?? null);
  };

  test.each([
    ['are told with another row of theirs', 'aabcab', [5, 6, null, 1, 3]],
    ['are told the first and the second place, wherever else they stand', 'abaca', [3, null, 1, null, 1]],
    ['are none where all rows of each follow each other', 'aabbbc', Array(3).fill(null)],
    ['may have a row without a key between them', 'a-a', [3, null, 1]],
    ['are not the missing ones', '--a-', Array(4).fill(null)],
  ])('%s: %s', (_, keys, others) => {
    expect(othersOf(keyedRows([...keys].map((key) => (key === '-' ? '' : key))))).toEqual(others);
  });

  test('are none where a group is only too long, and are those of a rerun that were no neighbours in the file', () => {
    expect(new Set(othersOf(keyedRows(Array(MAX_GROUP_ROWS + 5).fill('a'))))).toEqual(new Set([null]));
    const parts = keyedRows([...Array<string>(MAX_GROUP_ROWS + 5).fill('a'), 'b', 'a']);
    expect(othersOf(parts)).toEqual([MAX_GROUP_ROWS + 7, MAX_GROUP_ROWS + 7, null, 1]);
    expect(othersOf([keyedRow(3, 'a'), keyedRow(4, 'a'), keyedRow(7, 'a')])).toEqual([7, 3]);
  });

  test('are exactly those that have more than one group', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }), (keys) => {
        const rows = keyedRows(keys);
        const leaders = groupRows(rows, keyOfRow).map(({ leader }) => keyOfRow(leader));
        const isApart = leaders.map(
          (key) => key !== null && leaders.indexOf(key) !== leaders.lastIndexOf(key),
        );
        expect(othersOf(rows).map((other) => other !== null)).toEqual(isApart);
      }),
    );
  });
});
