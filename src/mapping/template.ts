import type { FieldSource, JobDefinition } from '../config/job-definition.ts';
import type { FieldCatalog } from '../model/field.ts';
import type { ConvertedColumn } from './conversion-for.ts';
import { exampleValue } from './example-value.ts';
import type { FieldPath } from './field-path.ts';
import { formatFieldPath, parseFieldPath } from './field-path.ts';
import type { LeafType } from './known-field.ts';
import { createFieldLookup } from './known-field.ts';

/** A header of the template with its example cell. */
export type TemplateColumn = readonly [header: string, example: string];

/** A field that the template fills; `source` is the definition's own column and conversion for it. */
type TemplateField = { readonly path: FieldPath; readonly source: ConvertedColumn | null };

const EXAMPLE_KEY = 'PARTNER-0001';
const EXAMPLE_PATH_ID = 'EXAMPLE-ID-0001';

/**
 * A header and one example row for a job: its key, the path's identifier, then every field of the catalog once
 * (of lists the first item), under the definition's own column names. Constants, ignored columns and members whose
 * contents are not shown are left out. The row passes the mapping.
 */
export function templateOf(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateColumn[] {
  const lookUp = createFieldLookup(catalog, pathField);
  const columns = new Map<string, string>();
  if (definition.key !== undefined) columns.set(definition.key, EXAMPLE_KEY);
  if (pathField !== null && definition.key === pathField) columns.set(pathField, EXAMPLE_PATH_ID);
  const openFields = [...(pathField === null ? [] : [pathField]), ...catalog.keys(), ...definition.required];
  for (const field of [...definedFields(definition), ...undefinedFields(openFields, definition)]) {
    const known = lookUp(field.path);
    if (known.kind === 'leaf' && !isPartOfList(known, field)) addColumn(field, known.type, columns);
  }
  return [...columns];
}

/** A column that feeds several fields keeps its first example unless a later field asks for more than text. */
function addColumn(field: TemplateField, type: LeafType, columns: Map<string, string>): void {
  const header = field.source?.column ?? formatFieldPath(field.path);
  const isText = (field.source?.as ?? type) === 'string';
  if (columns.has(header) && isText) return;
  const name = field.path.findLast((segment) => typeof segment === 'string');
  columns.set(header, exampleValue(String(name), type, field.source));
}

/** The whole list has a column already, unless the definition fills it item by item. */
function isPartOfList(known: { readonly listElement: boolean }, field: TemplateField): boolean {
  return known.listElement && field.source === null;
}

function definedFields(definition: JobDefinition): readonly TemplateField[] {
  return Object.entries(definition.fields).flatMap(([field, source]) => {
    const path = pathOf(field);
    const column = columnOf(source);
    return path === null || column === null ? [] : [{ path, source: column }];
  });
}

/** The fields that the definition leaves to headers of their own. */
function undefinedFields(fields: readonly string[], definition: JobDefinition): readonly TemplateField[] {
  const defined = Object.keys(definition.fields).map((field) => formatFieldPath(pathOf(field) ?? []));
  return fields.flatMap((field) => {
    const path = pathOf(field.replaceAll('#', '0'));
    if (path === null) return [];
    const name = formatFieldPath(path);
    const taken = defined.some((other) => other === name || other.startsWith(`${name}.`));
    return taken || definition.ignore.includes(name) ? [] : [{ path, source: null }];
  });
}

function pathOf(field: string): FieldPath | null {
  const parsed = parseFieldPath(field);
  return parsed.kind === 'path' ? parsed.path : null;
}

function columnOf(source: FieldSource): ConvertedColumn | null {
  if (typeof source === 'string') return { column: source };
  return 'column' in source ? source : null;
}
