/**
 * The key by which the ledger knows a row. It is read apart from the mapping and before it, for every row, so that rows
 * with the same key can be found and grouped; a report file's key is found the same way by its name alone.
 */
import { flattenRecord, visitLeaves } from '../model/flatten-record.ts';
import { memberOf, parseRecord } from '../model/json-record.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { KeyOf } from '../model/row-group.ts';
import { isTable, type SourceInfo } from '../model/source.ts';
import type { ColumnSlot } from './compilation.ts';
import { foldName } from './request-field.ts';

export function compileKeyOf({ column, slot }: ColumnSlot): KeyOf {
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

/**
 * Compiles the reading of a report file's key by its name in the job definition, which finds the column as a mapping would;
 * `null` where a table has no such column or more than one.
 */
export function compileReportKeyOf(name: string, source: Pick<SourceInfo, 'type' | 'columns'>): KeyOf | null {
  if (!isTable(source)) return (row) => (row.kind === 'record' ? keyText(memberRead(row.text, name)) : null);
  const exact = source.columns.filter((column) => column === name);
  const alike = source.columns.filter((column) => foldName(column) === foldName(name));
  const [column, other] = exact.length > 0 ? exact : alike;
  if (column === undefined || other !== undefined) return null;
  return compileKeyOf({ column, slot: source.columns.indexOf(column) });
}

function memberRead(text: string, name: string): JsonValue | undefined {
  const record = parseRecord(text) ?? {};
  const own = memberAt(record, name);
  if (own !== undefined) return own;
  const folded = foldName(name);
  return [...flattenRecord(record)].find(([path]) => foldName(path) === folded)?.[1];
}

/** The key as text; a JSON number is a key only where it can't have lost a digit. */
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
