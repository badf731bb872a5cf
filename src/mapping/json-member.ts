import type { JsonObject, JsonValue } from '../model/request.ts';

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
