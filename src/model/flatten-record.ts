/**
 * The leaves of a record by field path, in order of appearance: objects nest with `.`, list items by their index
 * (`accounts.0.iban`). A leaf is a scalar, a list of scalars (`currencies`), an empty list or an empty object.
 * A member whose own name contains dots stands at the path it spells; where two leaves share a path the later wins.
 */
import type { JsonObject, JsonValue } from './request.ts';

/** The leaves by their paths. */
export function flattenRecord(record: JsonObject): Map<string, JsonValue> {
  const leaves = new Map<string, JsonValue>();
  visitLeaves(record, (path, leaf) => void leaves.set(path, leaf));
  return leaves;
}

/** Calls `visit` for every leaf in order of appearance, also where two share a path. */
export function visitLeaves(record: JsonObject, visit: (path: string, leaf: JsonValue) => void): void {
  for (const name of Object.keys(record)) visitValue(name, record[name] ?? null, visit);
}

function visitValue(path: string, value: JsonValue, visit: (path: string, leaf: JsonValue) => void): void {
  if (!isBranch(value)) visit(path, value);
  else for (const name of Object.keys(value)) visitValue(`${path}.${name}`, memberOf(value, name), visit);
}

function isBranch(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  if (value === null || typeof value !== 'object') return false;
  return isList(value) ? !value.every(isScalar) : Object.keys(value).length > 0;
}

function memberOf(value: JsonObject | readonly JsonValue[], name: string): JsonValue {
  return (isList(value) ? value[Number(name)] : value[name]) ?? null;
}

/** `Array.isArray` doesn't narrow a readonly list. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}
