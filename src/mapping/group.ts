import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../model/issue.ts';
import { isJsonList, isJsonObject, memberOf } from '../model/json-record.ts';
import type { Mapped, Reference } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import { MAX_GROUP_ROWS } from '../model/row-group.ts';
import type { Binding } from './bind-fields.ts';
import type { MappingOptions } from './column-names.ts';
import { suggestField } from './proposal/meaning.ts';
import { type FieldLookup, formatFieldPath, parseFieldPath } from './request-field.ts';

type MappedRow = Extract<Mapped, { kind: 'mapped' }>;

/** What the rows of one key map to together: one request, or for each of them why there is none. */
export type GroupMapped =
  | {
      readonly kind: 'mapped';
      readonly body: JsonObject;
      readonly pathId: string | null;
      /** By row number; rows without warnings are absent. */
      readonly warnings: ReadonlyMap<number, readonly Issue[]>;
      readonly references: readonly Reference[];
    }
  /** By row number, with an entry for every row. */
  | { readonly kind: 'issues'; readonly issues: ReadonlyMap<number, readonly Issue[]> };

const TOO_LARGE = `at most ${MAX_GROUP_ROWS - 1} rows with the same key, since they are one request`;

/**
 * Maps rows of one key to one request: the first row's body, with each row's items of the list in row order. Whatever
 * else a later row says has to be what the first one says. A row alone maps to itself.
 */
export function mergeGroup(rows: readonly Row[], map: (row: Row) => Mapped, list: string): GroupMapped {
  if (rows.length >= MAX_GROUP_ROWS)
    return refused(rows, new Map(rows.map((row) => [row.row, [tooLarge(row)]])));
  const mapped: (MappedRow & { readonly row: Row })[] = [];
  const own = new Map<number, readonly Issue[]>();
  for (const row of rows) {
    const made = map(row);
    if (made.kind === 'issues') own.set(row.row, made.issues);
    else mapped.push({ ...made, row });
  }
  for (const conflict of findConflicts(mapped, list)) {
    own.set(conflict.row, [...(own.get(conflict.row) ?? []), conflict]);
  }
  return own.size > 0 ? refused(rows, own) : merged(mapped, list);
}

function merged(mapped: readonly (MappedRow & { readonly row: Row })[], list: string): GroupMapped {
  const [first] = mapped;
  if (first === undefined) throw new Error('a group without rows');
  const warnings = new Map(
    mapped.flatMap(({ row, warnings: own }) => (own.length === 0 ? [] : [[row.row, own] as const])),
  );
  const { pathId } = first;
  if (mapped.length === 1) {
    return { kind: 'mapped', body: first.body, pathId, warnings, references: first.references };
  }
  const merge = createListMerge(list);
  for (const one of mapped) merge.add(one);
  return { kind: 'mapped', body: merge.into(first.body), pathId, warnings, references: merge.references() };
}

/** The group isn't sent in part: rows that are fine themselves name one that isn't. */
function refused(rows: readonly Row[], own: ReadonlyMap<number, readonly Issue[]>): GroupMapped {
  const [wrong = 0] = [...own.keys()].sort((a, b) => a - b);
  const issues = new Map(rows.map((row) => [row.row, own.get(row.row) ?? [member(row, wrong)]]));
  return { kind: 'issues', issues };
}

function member(row: Row, wrong: number): Issue {
  const expected = `rows of one key that can all be sent, since they are one request: row ${wrong}, of the same key, can't be sent`;
  return { row: row.row, line: row.line, column: null, value: null, expected, code: 'group_member' };
}

/** Every row of a group that a row without a readable key stands beside: it may be one of them. */
export function besideKeyless(
  rows: readonly Row[],
  keyless: number,
): Extract<GroupMapped, { kind: 'issues' }> {
  const expected = `rows of one key that can all be sent, since they are one request: row ${keyless} beside them has no readable key and may be one of them`;
  const issues = rows.map(({ row, line }) => {
    const issue = { row, line, column: null, value: null, expected, code: 'group_member' } as const;
    return [row, [issue]] as const;
  });
  return { kind: 'issues', issues: new Map(issues) };
}

function tooLarge({ row, line }: Row): Issue {
  return { row, line, column: null, value: null, expected: TOO_LARGE, code: 'group_too_large' };
}

type MappedRowGroupConflict = Extract<Mapped, { kind: 'mapped' }> & { readonly row: Row };
type Difference = { readonly column: string; readonly value: JsonValue };

/**
 * Where later rows of a key say otherwise than its first one, the list that they fill together aside; what they leave
 * out or empty is no conflict. One issue per member that differs.
 */
function findConflicts(rows: readonly MappedRowGroupConflict[], list: string): readonly Issue[] {
  const [first, ...later] = rows;
  if (first === undefined) return [];
  const expected = `what row ${first.row.row} of the same key has there, or nothing, since they are one request`;
  return later.flatMap((one) =>
    differencesOf(first, one, list).map(({ column, value }): Issue => {
      const { row, line } = one.row;
      return { row, line, column, value: shown(value), expected, code: 'group_conflict' };
    }),
  );
}

function differencesOf(
  first: MappedRowGroupConflict,
  later: MappedRowGroupConflict,
  list: string,
): readonly Difference[] {
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

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Part = { readonly body: JsonObject; readonly references: readonly Reference[] };

/** Appends rows' items of one list, a row at a time. */
type ListMerge = {
  add(part: Part): void;
  /** The body with all items in its list; as it stands where no row has any. */
  into(body: JsonObject): JsonObject;
  /** The references of all rows: those into the list moved to their items' places, the others those of the first row. */
  references(): readonly Reference[];
};

/** `list` is a field path: names with dots between them. */
function createListMerge(list: string): ListMerge {
  const path = list.split('.');
  const items: JsonValue[] = [];
  const references: Reference[] = [];
  let isFirst = true;
  return {
    add(part) {
      const offset = items.length;
      const own = itemsOf(part.body, path);
      const inList = part.references.filter((reference) => positionIn(path, reference) !== null);
      const others = part.references.filter((reference) => positionIn(path, reference) === null);
      if (isFirst) references.push(...others);
      isFirst = false;
      references.push(...inList.map((reference) => moved(reference, path, offset)));
      items.push(
        ...own,
        ...emptyItems(
          own.length,
          inList.map((reference) => positionIn(path, reference) ?? 0),
        ),
      );
    },
    into: (body) => (items.length === 0 ? body : withMember(body, path, items)),
    references: () => references,
  };
}

function itemsOf(body: JsonObject, path: readonly string[]): readonly JsonValue[] {
  let value: JsonValue | undefined = body;
  for (const name of path) value = memberOf(value, name);
  return isJsonList(value) ? value : [];
}

/** An item that is nothing but a reference is not in the body yet, but has its place. */
function emptyItems(length: number, positions: readonly number[]): readonly JsonValue[] {
  const needed = Math.max(length, ...positions.map((position) => position + 1));
  return Array.from({ length: needed - length }, () => ({}));
}

/** The item that the reference lies in; `null` where it lies elsewhere. */
function positionIn(path: readonly string[], reference: Reference): number | null {
  const position = reference.path[path.length];
  const isBelow = path.every((name, i) => reference.path[i] === name);
  return isBelow && typeof position === 'number' ? position : null;
}

function moved(reference: Reference, path: readonly string[], offset: number): Reference {
  const at = path.length;
  const position = (positionIn(path, reference) ?? 0) + offset;
  return { ...reference, path: reference.path.with(at, position) };
}

function withMember(object: JsonObject, [name, ...below]: readonly string[], value: JsonValue): JsonObject {
  if (name === undefined) return object;
  const member = memberOf(object, name);
  const inner = isJsonObject(member) ? member : {};
  return { ...object, [name]: below.length === 0 ? value : withMember(inner, below, value) };
}

/** What is wrong with the list that the definition's `group` names. */
export function groupProblems(
  options: MappingOptions,
  about: { readonly lookUp: FieldLookup; readonly bindings: readonly Binding[] },
): readonly string[] {
  const { group } = options.definition;
  if (group === undefined) return [];
  const problem = listProblem(group, options, about.lookUp);
  if (problem !== null) return [`group: ${problem}`];
  // A JSON file without a record has no columns to miss.
  if (options.source.columns.length === 0 || about.bindings.some((binding) => fills(binding, group)))
    return [];
  return [
    `group: no column fills the list "${group}"; expected one such as "${itemOf(group, options)}", or one mapped to it under "fields"`,
  ];
}

function listProblem(group: string, options: MappingOptions, lookUp: FieldLookup): string | null {
  const parsed = parseFieldPath(group);
  if (parsed.kind === 'problem') return parsed.problem;
  const known = lookUp(parsed.path);
  if (known.kind === 'unknown') {
    const suggestion = suggestField(group, options);
    return `${options.definition.operation} has no list "${group}".${suggestion}`;
  }
  const isList =
    (known.kind === 'container' && known.shape === 'list') ||
    (known.kind === 'leaf' && known.type === 'string-list');
  if (isList && parsed.path.every((segment) => typeof segment === 'string')) return null;
  return `"${group}" is no list of the request; expected one such as accounts`;
}

function fills(binding: Binding, group: string): boolean {
  return binding.kind !== 'constant' && `${formatFieldPath(binding.path)}.`.startsWith(`${group}.`);
}

function itemOf(group: string, { catalog }: MappingOptions): string {
  const item = [...catalog.keys()].find((field) => field.startsWith(`${group}.#.`));
  return item?.replaceAll('#', '0') ?? group;
}
