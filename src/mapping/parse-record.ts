import type { JsonObject, JsonValue } from '../model/request.ts';
import { isJsonObject } from './json-member.ts';

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
