/**
 * Rows with the same key as one request (the setting `group`): the first row says what the record
 * is, each adds its items to one list. A group is sent whole or not at all.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../../model/issue.ts';
import { isJsonList, isJsonObject, memberOf, withMember } from '../../model/json-record.ts';
import type { GroupMapped, Mapped, Reference } from '../../model/mapping.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import { MAX_GROUP_ROWS } from '../../model/row-group.ts';
import type { Binding } from './bind-fields.ts';
import type { Compilation } from './compilation.ts';
import { suggestField } from './proposal/meaning.ts';
import { formatFieldPath, parseFieldPath } from './request-field.ts';
import { issueOf } from './row-context.ts';

type MappedRow = Extract<Mapped, { kind: 'mapped' }> & { readonly row: Row };

type Merging = {
  map(row: Row): Mapped;
  keyOf(row: Row): string | null;
  readonly list: string;
  /** What the whole record lacks, as issues of the first row. */
  lacking(leader: Row, record: Pick<MappedRow, 'body' | 'references'>): readonly Issue[];
};

/** Outside the list a later row has to say what the first one does. A row alone maps to itself. */
export function mergeGroup(rows: readonly Row[], { map, keyOf, list, lacking }: Merging): GroupMapped {
  if (rows.length >= MAX_GROUP_ROWS) return issuesOfEach(rows, tooLarge);
  const mapped: MappedRow[] = [];
  const own = new Map<number, readonly Issue[]>();
  for (const row of rows) {
    const made = map(row);
    if (made.kind === 'issues') own.set(row.row, made.issues);
    else mapped.push({ ...made, row });
  }
  const whole = rows[0] === mapped[0]?.row ? merged(mapped, list) : null;
  const found = [
    ...alikeKeys(rows, keyOf),
    ...findConflicts(mapped, list),
    ...(whole === null ? [] : lacking(whole.row, whole)),
  ];
  for (const issue of found) own.set(issue.row, [...(own.get(issue.row) ?? []), issue]);
  if (whole === null || own.size > 0) return refused(rows, own);
  const { body, pathId, references } = whole;
  return { kind: 'mapped', body, pathId, warnings: warningsIn(mapped), references };
}

/** Keys that match the first row's by their normal form only. */
function alikeKeys(rows: readonly Row[], keyOf: Merging['keyOf']): readonly Issue[] {
  const [leader] = rows;
  if (leader === undefined) return [];
  const key = keyOf(leader);
  const values = { row: String(leader.row) };
  return rows.flatMap((row) => {
    const value = keyOf(row);
    if (value === key) return [];
    return [issueOf(row, { column: null, value, expected: AS_WRITTEN, values, code: 'key_alike' })];
  });
}

const AS_WRITTEN = 'a key that no other row has, however it is written; row {row} has this one';

/** Row `keyless` has no readable key, stands beside these and may be one of them. */
export function besideKeyless(
  rows: readonly Row[],
  keyless: number,
): Extract<GroupMapped, { kind: 'issues' }> {
  return issuesOfEach(rows, (row) =>
    unsendable(row, 'row {row} beside them has no readable key and may be one of them', keyless),
  );
}

function refused(rows: readonly Row[], own: ReadonlyMap<number, readonly Issue[]>): GroupMapped {
  const wrong = Math.min(...own.keys());
  return issuesOfEach(
    rows,
    (row) => own.get(row.row) ?? unsendable(row, "row {row}, of the same key, can't be sent", wrong),
  );
}

function issuesOfEach(
  rows: readonly Row[],
  issuesOf: (row: Row) => readonly Issue[],
): Extract<GroupMapped, { kind: 'issues' }> {
  return { kind: 'issues', issues: new Map(rows.map((row) => [row.row, issuesOf(row)])) };
}

function unsendable(row: Row, why: string, other: number): readonly Issue[] {
  const expected = `rows of one key that can all be sent, since they are one request: ${why}`;
  const values = { row: String(other) };
  return [issueOf(row, { column: null, value: null, expected, values, code: 'group_member' })];
}

const TOO_LARGE = `at most ${MAX_GROUP_ROWS - 1} rows with the same key, since they are one request`;

function tooLarge(row: Row): readonly Issue[] {
  return [issueOf(row, { column: null, value: null, expected: TOO_LARGE, code: 'group_too_large' })];
}

function merged(rows: readonly MappedRow[], list: string): MappedRow | null {
  const [first] = rows;
  if (first === undefined || rows.length === 1) return first ?? null;
  return { ...first, ...withAllItems(first, rows, list.split('.')) };
}

function warningsIn(rows: readonly MappedRow[]): ReadonlyMap<number, readonly Issue[]> {
  return new Map(rows.flatMap(({ row, warnings }) => (warnings.length === 0 ? [] : [[row.row, warnings]])));
}

function withAllItems(
  first: MappedRow,
  rows: readonly MappedRow[],
  list: readonly string[],
): Pick<MappedRow, 'body' | 'references'> {
  const items: JsonValue[] = [];
  const references = first.references.filter((reference) => positionIn(list, reference) === null);
  for (const { body, references: own } of rows) {
    const offset = items.length;
    items.push(...itemsOf(body, list));
    for (const reference of own) {
      const position = positionIn(list, reference);
      if (position === null) continue;
      // An item that only holds a reference is not in the body yet, but has its place.
      while (items.length <= offset + position) items.push({});
      references.push({ ...reference, path: reference.path.with(list.length, offset + position) });
    }
  }
  return { body: items.length === 0 ? first.body : withMember(first.body, list, items), references };
}

function itemsOf(body: JsonObject, list: readonly string[]): readonly JsonValue[] {
  const items = list.reduce<JsonValue | undefined>(memberOf, body);
  return isJsonList(items) ? items : [];
}

function positionIn(list: readonly string[], { path }: Reference): number | null {
  const position = path[list.length];
  return list.every((name, i) => path[i] === name) && typeof position === 'number' ? position : null;
}

type Difference = { readonly column: string; readonly value: JsonValue };

/** Outside the list. What later rows leave out or empty is no conflict. */
function findConflicts(rows: readonly MappedRow[], list: string): readonly Issue[] {
  const [first, ...later] = rows;
  if (first === undefined) return [];
  const expected = 'what row {row} of the same key has there, or nothing, since they are one request';
  const values = { row: String(first.row.row) };
  return later.flatMap((one) =>
    differencesOf(first, one, list).map((difference) =>
      issueOf(one.row, { ...difference, expected, values, code: 'group_conflict' }),
    ),
  );
}

function differencesOf(first: MappedRow, later: MappedRow, list: string): readonly Difference[] {
  return [
    ...(later.pathId === null || later.pathId === first.pathId
      ? []
      : [{ column: 'id', value: later.pathId }]),
    ...bodyDifferences({ first: first.body, later: later.body, path: '', list }),
    ...later.references.flatMap((reference) => referenceDifference(reference, first.references, list)),
  ];
}

type Compared = {
  readonly first: JsonValue | undefined;
  readonly later: JsonValue;
  readonly path: string;
  readonly list: string;
};

function bodyDifferences({ first, later, path, list }: Compared): readonly Difference[] {
  if (path === list || later === null) return [];
  if (isJsonObject(later) && (first === undefined || isJsonObject(first))) {
    return Object.entries(later).flatMap(([name, value]) =>
      bodyDifferences({
        first: memberOf(first, name),
        later: value,
        path: path === '' ? name : `${path}.${name}`,
        list,
      }),
    );
  }
  return isDeepStrictEqual(first, later) ? [] : [{ column: path, value: later }];
}

function referenceDifference(
  { path, space, key, column }: Reference,
  firsts: readonly Reference[],
  list: string,
): readonly Difference[] {
  const place = path.join('.');
  if (place.startsWith(`${list}.`)) return [];
  const same = firsts.find((first) => first.path.join('.') === place);
  return same?.space === space && same.key === key ? [] : [{ column, value: key }];
}

export function groupProblems(compilation: Compilation, bindings: readonly Binding[]): readonly string[] {
  const { definition, source, catalog } = compilation;
  const { group } = definition;
  if (group === undefined) return [];
  const problem = listProblem(group, compilation);
  if (problem !== null) return [`group: ${problem}`];
  // A JSON file without a record has no columns to miss.
  if (source.columns.length === 0 || bindings.some((binding) => fills(binding, group))) return [];
  const item = [...catalog.keys()].find((field) => field.startsWith(`${group}.#.`));
  return [
    `group: no column fills the list "${group}"; expected one such as ` +
      `"${item?.replaceAll('#', '0') ?? group}", or one mapped to it under "fields"`,
  ];
}

function listProblem(group: string, compilation: Compilation): string | null {
  const path = parseFieldPath(group);
  if (typeof path === 'string') return path;
  const known = compilation.lookUp(path);
  if (known.kind === 'unknown') {
    return (
      `${compilation.definition.operation} has no list ` + `"${group}".${suggestField(group, compilation)}`
    );
  }
  const isList =
    (known.kind === 'container' && known.shape === 'list') ||
    (known.kind === 'leaf' && known.type === 'string-list');
  if (isList && path.every((segment) => typeof segment === 'string')) return null;
  return `"${group}" is no list of the request; expected one such as accounts`;
}

function fills(binding: Binding, group: string): boolean {
  return binding.kind !== 'constant' && `${formatFieldPath(binding.path)}.`.startsWith(`${group}.`);
}
