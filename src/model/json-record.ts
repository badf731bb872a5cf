import type { Reference } from './mapping.ts';
import type { JsonObject, JsonValue } from './request.ts';

/**
 * The object that a record's text holds, `null` where it holds none. The reader has already refused what JSON.parse
 * would alter or lose without a word: numbers that a double would round, and members given twice.
 */
export function parseRecord(text: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether a parsed value is a JSON object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isJsonList(value);
}

/** Whether a parsed value is a JSON list; `Array.isArray` doesn't narrow a readonly one. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value's own member or item, `undefined` where it has none. */
export function memberOf(value: JsonValue | undefined, segment: string | number): JsonValue | undefined {
  if (isJsonList(value)) return typeof segment === 'number' ? value[segment] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** The identifier that a reference's key was found under, and where it goes. */
type ResolvedReference = Pick<Reference, 'path'> & { readonly id: string };

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
