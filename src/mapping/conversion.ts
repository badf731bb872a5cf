import type { JsonObject, JsonValue } from '../model/request.ts';

/** A JSON value that is neither text nor empty. */
export type TypedValue = number | boolean | readonly JsonValue[] | JsonObject;

/**
 * How a cell or a JSON value becomes the value of a field.
 * Both functions answer `undefined` where the value can't be converted and `null` where there is nothing in it.
 */
export type Conversion = {
  /** `text` is never empty. */
  fromText(text: string): JsonValue | undefined;
  fromJson(value: TypedValue): JsonValue | undefined;
  /** Dates by a pattern: whether day and month the other way round would be another day of the calendar. */
  isSwappable?(text: string): boolean;
  /** How a workbook's number, date or boolean becomes the value, where the definition's signs, pattern or words are for text only. */
  readonly typed?: Conversion;
  /** For a text that was refused: what to set so that it is read, to follow `expected`; or nothing. */
  remedy?(text: string): string;
  /** What would have been right, to follow "expected". */
  readonly expected: string;
};

/** Carries one value over, text or typed; `null` and the empty string have nothing in them. */
export function convert(conversion: Conversion, value: JsonValue): JsonValue | undefined {
  if (value === null || value === '') return null;
  return typeof value === 'string' ? conversion.fromText(value) : conversion.fromJson(value);
}
