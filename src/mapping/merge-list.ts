import type { Reference } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import { isJsonList, isJsonObject, memberOf } from './json-member.ts';

type Part = { readonly body: JsonObject; readonly references: readonly Reference[] };

/** Appends rows' items of one list, a row at a time. */
export type ListMerge = {
  add(part: Part): void;
  /** The body with all items in its list; as it stands where no row has any. */
  into(body: JsonObject): JsonObject;
  /** The references of all rows: those into the list moved to their items' places, the others those of the first row. */
  references(): readonly Reference[];
};

/** `list` is a field path: names with dots between them. */
export function createListMerge(list: string): ListMerge {
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
