/**
 * The leaves of a record by field path, in order: objects nest with `.`, list items by index
 * (`accounts.0.iban`). A leaf is a scalar, a list of scalars (`currencies`), or an empty list or
 * object. A member whose name has dots stands at the path it spells; of two leaves with one path
 * the later wins.
 */
import { isJsonList } from './json-record.ts';
import type { JsonObject, JsonValue } from './request.ts';

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
