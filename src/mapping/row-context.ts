import type { CheckCode } from '../model/check.ts';
import { visitLeaves } from '../model/flatten-record.ts';
import type { Issue } from '../model/issue.ts';
import { memberOf, parseRecord } from '../model/json-record.ts';
import type { Reference } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { CellsRow, RecordRow } from '../model/row.ts';
import type { Binding } from './bind-fields.ts';
import { compileReadsAsIgnored, isLeftOut, type MappingOptions } from './column-names.ts';
import { formatFieldPath } from './request-field.ts';

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

/** Lays a JSON record out by slots; issues that only the record as a whole shows are in the context already. */
export type ReadRecord = (row: RecordRow) => RowContext;

type Member = Extract<Binding, { kind: 'member' }>;

/** Where a leaf of a record goes: into a slot of its own, along with its member, or nowhere. */
type LeafTarget =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'member'; readonly member: Member }
  | { readonly kind: 'none' };

const ONE_PLACE = 'one value: the record spells this path in two ways, nested and with dots in a name';
const NESTED = 'nested objects: dots in a name are not understood inside this member';

/**
 * Compiles the reading of JSON records. `used` are the columns that anything is taken from;
 * what the definition asks for and can't be done is added to `problems`.
 */
export function compileRecordReader(
  options: MappingOptions,
  about: { readonly bindings: readonly Binding[]; readonly used: ReadonlySet<string> },
  problems: string[],
): ReadRecord {
  const members = about.bindings.filter((binding) => binding.kind === 'member');
  const targets = new Map(
    options.source.columns.map((column, slot) => [column, leafTarget({ column, slot }, members, about.used)]),
  );
  const readsAsIgnored = compileReadsAsIgnored(options);
  const isIgnored = (column: string) => isLeftOut(column, options) || readsAsIgnored(column);
  problems.push(...partlyIgnored(options, targets, isIgnored));
  return (row) => {
    const values = new Array<JsonValue | undefined>(options.source.columns.length).fill(undefined);
    const context = createContext(row, values);
    const record = parseRecord(row.text);
    if (record === null) addUnreadable(context);
    else layOut(record, { targets, values, isIgnored }, context);
    return context;
  };
}

function leafTarget(
  at: { readonly column: string; readonly slot: number },
  members: readonly Member[],
  used: ReadonlySet<string>,
): LeafTarget {
  const member = members.find(({ path }) => `${at.column}.`.startsWith(`${formatFieldPath(path)}.`));
  if (member !== undefined) return { kind: 'member', member };
  return used.has(at.column) ? { kind: 'slot', slot: at.slot } : { kind: 'none' };
}

function partlyIgnored(
  options: MappingOptions,
  targets: ReadonlyMap<string, LeafTarget>,
  isIgnored: (column: string) => boolean,
): readonly string[] {
  return options.source.columns.flatMap((column) => {
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
    if (target.kind === 'member') return layOutMember(target.member, { path, record, layout }, context);
    if (layout.values[target.slot] !== undefined) {
      addIssue(context, { code: 'conflicting_columns', column: path, value: leaf, expected: ONE_PLACE });
    }
    layout.values[target.slot] = leaf;
  });
}

function layOutMember(
  member: Member,
  leaf: { readonly path: string; readonly record: JsonObject; readonly layout: Layout },
  context: RowContext,
): void {
  const start: JsonValue | undefined = leaf.record;
  const value = member.path.reduce<JsonValue | undefined>(memberOf, start);
  if (value === undefined) {
    context.filled += 1;
    addIssue(context, { code: 'conflicting_columns', column: leaf.path, value: undefined, expected: NESTED });
  }
  leaf.layout.values[member.slot] = value;
}

/** The columns are those of the file's first reading, so this is a file that changed since. */
function unknownLeaf(path: string, layout: Layout, context: RowContext): LeafTarget {
  if (!layout.isIgnored(path)) {
    context.filled += 1;
    const expected = 'a member that the file had when it was first read';
    addIssue(context, { code: 'cell_not_convertible', column: path, value: undefined, expected });
  }
  return { kind: 'none' };
}
