import type { Issue } from '../model/issue.ts';
import type { Mapped, Reference } from '../model/mapping.ts';
import type { JsonObject } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import { MAX_GROUP_ROWS } from '../model/row-group.ts';
import { findConflicts } from './group-conflict.ts';
import { createListMerge } from './merge-list.ts';

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
