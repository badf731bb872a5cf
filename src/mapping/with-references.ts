import type { Reference } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import { isJsonList, isJsonObject } from './json-member.ts';

/** The identifier that a reference's key was found under, and where it goes. */
export type ResolvedReference = Pick<Reference, 'path'> & { readonly id: string };

/** The body with the identifiers in their places; objects on the way there appear, and the body itself stays as it is. */
export function withReferences(body: JsonObject, resolved: readonly ResolvedReference[]): JsonObject {
  return resolved.reduce((whole, { path, id }) => objectWith(whole, path, id), body);
}

function objectWith(
  object: JsonObject,
  [name = '', ...rest]: readonly (string | number)[],
  id: string,
): JsonObject {
  const own = Object.hasOwn(object, name) ? object[name] : undefined;
  return { ...object, [name]: valueWith(own, rest, id) };
}

function valueWith(value: JsonValue | undefined, path: readonly (string | number)[], id: string): JsonValue {
  const [segment, ...rest] = path;
  if (segment === undefined) return id;
  if (typeof segment === 'string') return objectWith(isJsonObject(value) ? value : {}, path, id);
  const items = isJsonList(value) ? [...value] : [];
  items[Math.min(segment, items.length)] = valueWith(items[segment], rest, id);
  return items;
}
