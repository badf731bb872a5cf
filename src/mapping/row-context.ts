/**
 * A row while it is mapped: its values by slot, and what was found wrong with them. A table's row
 * has its cells as they are; a JSON record is laid out over the slots of the columns that the file
 * had when it was first read.
 */
import { pathColumnsOf } from '../config/job-definition.ts';
import { visitLeaves } from '../model/flatten-record.ts';
import type { CheckCode, Issue, KeptIssue } from '../model/issue.ts';
import { memberOf, parseRecord } from '../model/json-record.ts';
import type { Reference } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { CellsRow, RecordRow } from '../model/row.ts';
import { type Binding, boundColumns } from './bind-fields.ts';
import { type ColumnSlot, type Compilation, isLeftOut } from './compilation.ts';
import { formatFieldPath } from './request-field.ts';

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

/** Notes something that looks damaged in a row that is sent all the same. */
export function addWarning(context: RowContext, warning: Finding & { readonly code: CheckCode }): void {
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

type Member = Extract<Binding, { kind: 'member' }>;

/** Where a leaf of a record goes: into a slot of its own, along with its member, or nowhere. */
type LeafTarget =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'member'; readonly member: Member }
  | { readonly kind: 'none' };

const ONE_PLACE = 'one value: the record spells this path in two ways, nested and with dots in a name';
const NESTED = 'nested objects: dots in a name are not understood inside this member';

/** What the definition ignores inside a member that is carried as it stands becomes a problem. */
export function compileRecordReader(
  compilation: Compilation,
  bindings: readonly Binding[],
  key: ColumnSlot | null,
): ReadRecord {
  const { columns } = compilation.source;
  const members = bindings.filter((binding) => binding.kind === 'member');
  const inPath = pathColumnsOf(compilation.definition).flatMap((name) => {
    const found = compilation.findColumn(name);
    return found.kind === 'found' ? [found.column] : [];
  });
  const used = new Set([...boundColumns(bindings), ...inPath, ...(key === null ? [] : [key.column])]);
  const targets = new Map(
    columns.map((column, slot) => [column, leafTarget({ column, slot }, members, used)]),
  );
  const isIgnored = (column: string) => isLeftOut(column, compilation) || compilation.readsAsIgnored(column);
  compilation.problems.push(...partlyIgnored(columns, targets, isIgnored));
  return (row) => {
    const values = new Array<JsonValue | undefined>(columns.length).fill(undefined);
    const context = createContext(row, values);
    const record = parseRecord(row.text);
    if (record === null) addUnreadable(context);
    else layOut(record, { targets, values, isIgnored }, context);
    return context;
  };
}

function leafTarget(at: ColumnSlot, members: readonly Member[], used: ReadonlySet<string>): LeafTarget {
  const member = members.find(({ path }) => `${at.column}.`.startsWith(`${formatFieldPath(path)}.`));
  if (member !== undefined) return { kind: 'member', member };
  return used.has(at.column) ? { kind: 'slot', slot: at.slot } : { kind: 'none' };
}

function partlyIgnored(
  columns: readonly string[],
  targets: ReadonlyMap<string, LeafTarget>,
  isIgnored: (column: string) => boolean,
): readonly string[] {
  return columns.flatMap((column) => {
    const target = targets.get(column);
    if (target?.kind !== 'member' || !isIgnored(column)) return [];
    const name = formatFieldPath(target.member.path);
    return [
      `ignore, "${column}": "${name}" is carried as it stands; ignore "${name}" as a whole or nothing in it`,
    ];
  });
}

function addUnreadable(context: RowContext): void {
  const expected = 'a readable row: the record is not one JSON object';
  addIssue(context, { code: 'unreadable_row', column: null, value: undefined, expected });
}

type Layout = {
  readonly targets: ReadonlyMap<string, LeafTarget>;
  readonly values: (JsonValue | undefined)[];
  isIgnored(column: string): boolean;
};

function layOut(record: JsonObject, layout: Layout, context: RowContext): void {
  visitLeaves(record, (path, leaf) => {
    const target = layout.targets.get(path) ?? unknownLeaf(path, layout, context);
    if (target.kind === 'none') return;
    if (target.kind === 'member') {
      layout.values[target.member.slot] = memberIn(record, { member: target.member, path }, context);
      return;
    }
    if (layout.values[target.slot] !== undefined) {
      addIssue(context, { code: 'conflicting_columns', column: path, value: leaf, expected: ONE_PLACE });
    }
    layout.values[target.slot] = leaf;
  });
}

function memberIn(
  record: JsonObject,
  { member, path }: { readonly member: Member; readonly path: string },
  context: RowContext,
): JsonValue | undefined {
  const value = member.path.reduce<JsonValue | undefined>(memberOf, record);
  if (value === undefined) {
    context.filled += 1;
    addIssue(context, { code: 'conflicting_columns', column: path, value: undefined, expected: NESTED });
  }
  return value;
}

/** A leaf that no column of the file's first reading holds: the file has changed since. */
function unknownLeaf(path: string, layout: Layout, context: RowContext): LeafTarget {
  if (!layout.isIgnored(path)) {
    context.filled += 1;
    const expected = 'a member that the file had when it was first read';
    addIssue(context, { code: 'cell_not_convertible', column: path, value: undefined, expected });
  }
  return { kind: 'none' };
}
