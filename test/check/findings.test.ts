import { expect, test } from 'vitest';
import { gatherIssues } from '../../src/check/findings.ts';
import type { Issue } from '../../src/model/issue.ts';

function issue(row: number, given: Partial<Issue> = {}): Issue {
  return { row, line: row + 1, column: null, value: null, expected: 'x', code: 'group_member', ...given };
}

test('issues that differ in nothing but the row are one entry with the rows, others stay as they are', () => {
  const own = issue(2, { column: 'Name', code: 'missing_required' });
  expect(gatherIssues([issue(1), own, issue(3)])).toEqual([{ ...issue(1), rows: [1, 3] }, own]);
  expect(gatherIssues([own])).toEqual([own]);
});
