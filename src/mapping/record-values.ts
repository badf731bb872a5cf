import { visitLeaves } from '../model/flatten-record.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { RecordRow } from '../model/row.ts';
import type { Binding } from './binding.ts';
import { formatFieldPath } from './field-path.ts';
import { memberOf } from './json-member.ts';
import type { MappingOptions } from './mapping-options.ts';
import { compileReadsAsIgnored, isLeftOut } from './mapping-options.ts';
import { parseRecord } from './parse-record.ts';
import type { RowContext } from './row-context.ts';
import { addIssue, createContext } from './row-context.ts';

/** Lays a JSON record out by slots; issues that only the record as a whole shows are in the context already. */
export type ReadRecord = (row: RecordRow) => RowContext;

type Member = Extract<Binding, { kind: 'member' }>;

/** Where a leaf of a record goes: into a slot of its own, along with its member, or nowhere. */
type Target =
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
    options.source.columns.map((column, slot) => [column, targetOf({ column, slot }, members, about.used)]),
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

function targetOf(
  at: { readonly column: string; readonly slot: number },
  members: readonly Member[],
  used: ReadonlySet<string>,
): Target {
  const member = members.find(({ path }) => `${at.column}.`.startsWith(`${formatFieldPath(path)}.`));
  if (member !== undefined) return { kind: 'member', member };
  return used.has(at.column) ? { kind: 'slot', slot: at.slot } : { kind: 'none' };
}

function partlyIgnored(
  options: MappingOptions,
  targets: ReadonlyMap<string, Target>,
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
  readonly targets: ReadonlyMap<string, Target>;
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
function unknownLeaf(path: string, layout: Layout, context: RowContext): Target {
  if (!layout.isIgnored(path)) {
    context.filled += 1;
    const expected = 'a member that the file had when it was first read';
    addIssue(context, { code: 'cell_not_convertible', column: path, value: undefined, expected });
  }
  return { kind: 'none' };
}
