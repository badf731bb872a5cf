import { visitLeaves } from '../model/flatten-record.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import { memberOf } from './json-member.ts';
import { parseRecord } from './parse-record.ts';

/** A row's external key, `null` where there is none to be read. */
export type KeyOf = (row: Row) => string | null;

/** Compiles the reading of the key column, which stands in `slot` of a CSV row. */
export function compileKeyOf(column: string, slot: number): KeyOf {
  return (row) => {
    switch (row.kind) {
      case 'cells':
        return keyText(row.cells[slot]);
      case 'record':
        return keyText(memberAt(parseRecord(row.text) ?? {}, column));
      case 'unreadable':
        return null;
      default:
        return row satisfies never;
    }
  };
}

/** The key as text; a JSON number is one only where no digit can have been lost. */
export function keyText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

function memberAt(record: JsonObject, path: string): JsonValue | undefined {
  const own = memberOf(record, path);
  if (own !== undefined || !path.includes('.')) return own;
  let found: JsonValue | undefined;
  visitLeaves(record, (leafPath, leaf) => {
    if (leafPath === path) found = leaf;
  });
  return found;
}
