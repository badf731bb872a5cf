import { expect, test } from 'vitest';
import { gatherIssues, rowIssues, rowsWords } from '../../src/check/issues.ts';
import type { Issue } from '../../src/model/issue.ts';

function issue(row: number, given: Partial<Issue> = {}): Issue {
  return { row, line: row + 1, column: null, value: null, expected: 'x', code: 'group_member', ...given };
}

test('issues that differ in nothing but the row are one entry with the rows, others stay as they are', () => {
  const own = issue(2, { column: 'Name', code: 'missing_required' });
  const found = gatherIssues([issue(1), own, issue(3)]);
  expect(found).toEqual([{ ...issue(1), rows: [1, 3] }, own]);
  expect(rowIssues(found)).toBe(3);
  expect(gatherIssues([own])).toEqual([own]);
});

test('rows that follow each other are named as a span', () => {
  expect(rowsWords({ ...issue(4), rows: [4, 5, 6, 9, 11, 12] })).toBe('rows 4-6, 9, 11-12');
  expect(rowsWords(issue(4))).toBe('row 4');
});
