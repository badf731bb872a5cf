import type { CheckCode, Issue } from '../model/issue.ts';
import type { Reference } from '../model/mapping.ts';
import type { JsonValue } from '../model/request.ts';
import type { CellsRow } from '../model/row.ts';

/** What is known of the row that is being mapped; a new one for each row. */
export type RowContext = {
  readonly row: number;
  readonly line: number;
  /** By slot; `undefined`: the record doesn't have that member. */
  readonly values: readonly (JsonValue | undefined)[];
  /** The slots of a workbook's numbers, dates and booleans. */
  readonly typed: readonly number[];
  readonly issues: Issue[];
  readonly warnings: Issue[];
  readonly references: Reference[];
  /** Columns found with a value so far, convertible or not. */
  filled: number;
};

type Place = Pick<CellsRow, 'row' | 'line' | 'typed'>;

/** The context of a row of which nothing is known yet but its values. */
export function createContext(
  { row, line, typed = [] }: Place,
  values: readonly (JsonValue | undefined)[],
): RowContext {
  return { row, line, values, typed, issues: [], warnings: [], references: [], filled: 0 };
}

/** Notes an issue of the row; `value` as it came. */
export function addIssue(
  context: RowContext,
  issue: Pick<Issue, 'code' | 'column' | 'expected'> & { readonly value: JsonValue | undefined },
): void {
  context.issues.push(issueOf(context, issue));
}

/** Notes what looks damaged in the row, which is sent all the same. */
export function addWarning(
  context: RowContext,
  warning: Pick<Issue, 'column' | 'expected'> & {
    readonly code: CheckCode;
    readonly value: JsonValue | undefined;
  },
): void {
  context.warnings.push(issueOf(context, warning));
}

function issueOf(
  { row, line }: RowContext,
  issue: Pick<Issue, 'code' | 'column' | 'expected'> & { readonly value: JsonValue | undefined },
): Issue {
  const { column, expected, code } = issue;
  return { row, line, column, value: cellText(issue.value), expected, code };
}

function cellText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
