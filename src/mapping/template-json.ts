import type { JobDefinition } from '../config/job-definition.ts';
import { namesOf } from '../lib/json-pointer.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import { parseFieldPath } from './field-path.ts';
import type { TemplateColumn } from './template.ts';

/** The example rows of a template as JSON records: nested where a header is a field's path, with values of the fields' own types. */
export function templateRecords(
  columns: readonly TemplateColumn[],
  definition: JobDefinition,
): readonly JsonObject[] {
  const own = new Set(Object.values(definition.fields).map(columnName));
  const [first] = columns;
  return (first?.cells ?? []).map((_, row) => {
    const record: Tree = new Map();
    for (const column of columns) {
      // What the definition names is a column's name, dots and all; what it doesn't is a path.
      const isName = own.has(column.header) || column.header === definition.key;
      put(record, isName ? [column.header] : segmentsOf(column.header), jsonCell(column, row));
    }
    return objectOf(record);
  });
}

/** What a file with these records is: the records, or where the definition looks for them. */
export function templateDocument(records: readonly JsonObject[], definition: JobDefinition): JsonValue {
  const names = namesOf(definition.format.records ?? '');
  return names.reduceRight<JsonValue>((value, name) => ({ [name]: value }), records);
}

function columnName(source: JobDefinition['fields'][string]): string | null {
  if (typeof source === 'string') return source;
  return 'column' in source ? source.column : null;
}

function segmentsOf(header: string): readonly (string | number)[] {
  const parsed = parseFieldPath(header);
  return parsed.kind === 'path' ? parsed.path : [header];
}

function jsonCell({ kind, cells }: TemplateColumn, row: number): JsonValue {
  const cell = cells[row] ?? '';
  if (kind === 'number') return Number(cell);
  if (kind === 'boolean') return cell === 'true';
  return kind === 'list' ? cell.split(';') : cell;
}

/** An object or a list that is being filled; a list's members have numbers for names. */
type Tree = Map<string | number, Tree | { readonly leaf: JsonValue }>;

function put(tree: Tree, [name = '', ...below]: readonly (string | number)[], leaf: JsonValue): void {
  if (below.length === 0) {
    tree.set(name, { leaf });
    return;
  }
  const inner = tree.get(name);
  const next: Tree = inner instanceof Map ? inner : new Map();
  tree.set(name, next);
  put(next, below, leaf);
}

function objectOf(tree: Tree): JsonObject {
  return Object.fromEntries([...tree].map(([name, inner]) => [name, jsonOf(inner)]));
}

function jsonOf(inner: Tree | { readonly leaf: JsonValue }): JsonValue {
  if (!(inner instanceof Map)) return inner.leaf;
  if (![...inner.keys()].every((name) => typeof name === 'number')) return objectOf(inner);
  const last = Math.max(...[...inner.keys()].map(Number));
  // A hole is an item without a value.
  return Array.from({ length: last + 1 }, (_, i) => jsonOf(inner.get(i) ?? new Map()));
}
