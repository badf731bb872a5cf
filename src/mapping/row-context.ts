import type { Issue } from '../model/issue.ts';
import type { JsonValue } from '../model/request.ts';

/** What is known of the row that is being mapped; a new one for each row. */
export type RowContext = {
  readonly row: number;
  readonly line: number;
  /** By slot; `undefined`: the record doesn't have that member. */
  readonly values: readonly (JsonValue | undefined)[];
  readonly issues: Issue[];
  /** Columns found with a value so far, convertible or not. */
  filled: number;
};

/** Notes an issue of the row; `value` as it came. */
export function addIssue(
  context: RowContext,
  issue: Pick<Issue, 'code' | 'column' | 'expected'> & { readonly value: JsonValue | undefined },
): void {
  const { row, line } = context;
  context.issues.push({
    row,
    line,
    column: issue.column,
    value: cellText(issue.value),
    expected: issue.expected,
    code: issue.code,
  });
}

function cellText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
