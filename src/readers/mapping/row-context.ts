/**
 * A row while it is mapped: its values by slot, and what was found wrong with them. A JSON record
 * is laid out over the columns that the file had when it was first read.
 */
import type { CheckCode, Issue, KeptIssue } from '../../model/issue.ts';
import { parseRecord, visitLeaves } from '../../model/json-record.ts';
import type { Reference } from '../../model/mapping.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import type { CellsRow, RecordRow } from '../../model/row.ts';
import { type Compilation, isLeftOut } from './compilation.ts';

export type RowContext = {
  readonly row: number;
  readonly line: number;
  readonly values: readonly (JsonValue | undefined)[];
  readonly typed: readonly number[];
  readonly issues: Issue[];
  readonly warnings: Issue[];
  readonly references: Reference[];
  filled: number;
};

export function createContext(
  { row, line, typed = [] }: Pick<CellsRow, 'row' | 'line' | 'typed'>,
  values: readonly (JsonValue | undefined)[],
): RowContext {
  return { row, line, values, typed, issues: [], warnings: [], references: [], filled: 0 };
}

type Finding = KeptIssue & { readonly value: JsonValue | undefined };

export function addIssue(context: RowContext, issue: Finding): void {
  context.issues.push(issueOf(context, issue));
}

export function addWarning(
  context: RowContext,
  warning: Finding & { readonly code: CheckCode | 'rule_broken' },
): void {
  context.warnings.push(issueOf(context, warning));
}

export function issueOf(
  { row, line }: Pick<RowContext, 'row' | 'line'>,
  { value, settings = [], ...kept }: Finding,
): Issue {
  return { row, line, value: cellText(value), ...kept, ...(settings.length > 0 && { settings }) };
}

function cellText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The context already has the issues that only the whole record shows. */
export type ReadRecord = (row: RecordRow) => RowContext;

const ONE_PLACE = 'one value: the record spells this path in two ways, nested and with dots in a name';

export function compileRecordReader(compilation: Compilation): ReadRecord {
  const { columns } = compilation.source;
  const slots = new Map(columns.map((column, slot) => [column, slot]));
  const isIgnored = (column: string) => isLeftOut(column, compilation) || compilation.readsAsIgnored(column);
  return (row) => {
    const values = new Array<JsonValue | undefined>(columns.length).fill(undefined);
    const context = createContext(row, values);
    const record = parseRecord(row.text);
    if (record === null) addUnreadable(context);
    else layOut(record, { slots, values, isIgnored }, context);
    return context;
  };
}

function addUnreadable(context: RowContext): void {
  const expected = 'a readable row: the record is not one JSON object';
  addIssue(context, { code: 'unreadable_row', column: null, value: undefined, expected });
}

type Layout = {
  readonly slots: ReadonlyMap<string, number>;
  readonly values: (JsonValue | undefined)[];
  isIgnored(column: string): boolean;
};

function layOut(record: JsonObject, { slots, values, isIgnored }: Layout, context: RowContext): void {
  visitLeaves(record, (column, value) => {
    const slot = slots.get(column);
    if (slot === undefined) {
      if (!isIgnored(column)) addUnknown(column, context);
      return;
    }
    if (values[slot] !== undefined && !isIgnored(column)) {
      addIssue(context, { code: 'conflicting_columns', column, value, expected: ONE_PLACE });
    }
    values[slot] = value;
  });
}

/** A leaf that no column of the file's first reading holds: the file has changed since. */
function addUnknown(column: string, context: RowContext): void {
  context.filled += 1;
  const expected = 'a member that the file had when it was first read';
  addIssue(context, { code: 'cell_not_convertible', column, value: undefined, expected });
}
