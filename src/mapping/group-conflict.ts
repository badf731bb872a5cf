import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../model/issue.ts';
import type { Mapped, Reference } from '../model/mapping.ts';
import type { JsonValue } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import { isJsonObject, memberOf } from './json-member.ts';

type MappedRow = Extract<Mapped, { kind: 'mapped' }> & { readonly row: Row };
type Difference = { readonly column: string; readonly value: JsonValue };

/**
 * Where later rows of a key say otherwise than its first one, the list that they fill together aside; what they leave
 * out or empty is no conflict. One issue per member that differs.
 */
export function findConflicts(rows: readonly MappedRow[], list: string): readonly Issue[] {
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

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
