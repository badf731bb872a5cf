import type { FieldSource, JobDefinition } from '../config/job-definition.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import type { ConvertedColumn } from './conversion-for.ts';
import { type FieldPath, formatFieldPath, parseFieldPath } from './field-path.ts';

/** A field that the template fills; `source` is the definition's own column and conversion for it. */
export type TemplateField = { readonly path: FieldPath; readonly source: ConvertedColumn | null };

/** The fields of a template: those that the definition names, then the path's, the catalog's and the required ones that it doesn't. */
export function templateFields(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateField[] {
  const openFields = [...(pathField === null ? [] : [pathField]), ...catalog.keys(), ...definition.required];
  return [...definedFields(definition), ...undefinedFields(openFields, definition)];
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
