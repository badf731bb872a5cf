/**
 * A record as JSON: parsed, members read and set, and its leaves. The reader has already refused
 * what JSON.parse would silently alter or lose (numbers that a double rounds, members given twice).
 */
import type { Reference } from './mapping.ts';
import type { JsonObject, JsonValue } from './request.ts';

export function parseRecord(text: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isJsonList(value);
}

/** `Array.isArray` doesn't narrow a readonly list. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function memberOf(value: JsonValue | undefined, segment: string | number): JsonValue | undefined {
  if (isJsonList(value)) return typeof segment === 'number' ? value[segment] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

export type ResolvedReference = Pick<Reference, 'path'> & { readonly id: string };

export function withReferences(body: JsonObject, resolved: readonly ResolvedReference[]): JsonObject {
  return resolved.reduce((whole, { path, id }) => withMember(whole, path, id), body);
}

/** Missing objects and lists on the way are made. */
export function withMember(
  object: JsonObject,
  [name = '', ...rest]: readonly (string | number)[],
  value: JsonValue,
): JsonObject {
  return { ...object, [name]: valueWith(memberOf(object, name), rest, value) };
}

function valueWith(
  old: JsonValue | undefined,
  path: readonly (string | number)[],
  value: JsonValue,
): JsonValue {
  const [segment, ...rest] = path;
  if (segment === undefined) return value;
  if (typeof segment === 'string') return withMember(isJsonObject(old) ? old : {}, path, value);
  const items = isJsonList(old) ? [...old] : [];
  items[Math.min(segment, items.length)] = valueWith(items[segment], rest, value);
  return items;
}

/**
 * The leaves of a record by field path, in order: objects nest with `.`, list items by index
 * (`accounts.0.iban`). A leaf is a scalar, a list of scalars (`currencies`), or an empty list or
 * object. A member whose name has dots stands at the path it spells; of two leaves with one path
 * the later wins.
 */
export function flattenRecord(record: JsonObject): Map<string, JsonValue> {
  const leaves = new Map<string, JsonValue>();
  visitLeaves(record, (path, leaf) => void leaves.set(path, leaf));
  return leaves;
}

/** Visits every leaf in order, also where two share a path. */
export function visitLeaves(record: JsonObject, visit: (path: string, leaf: JsonValue) => void): void {
  for (const [name, value] of Object.entries(record)) visitValue(name, value, visit);
}

function visitValue(path: string, value: JsonValue, visit: (path: string, leaf: JsonValue) => void): void {
  if (!isBranch(value)) visit(path, value);
  else for (const [name, member] of Object.entries(value)) visitValue(`${path}.${name}`, member, visit);
}

function isBranch(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  if (value === null || typeof value !== 'object') return false;
  return isJsonList(value) ? !value.every(isScalar) : Object.keys(value).length > 0;
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}
