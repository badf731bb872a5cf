import type { JobDefinition } from '../config/job-definition.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import { exampleValue } from './example-value.ts';
import { formatFieldPath } from './field-path.ts';
import { createFieldLookup, type LeafType } from './known-field.ts';
import { type TemplateField, templateFields } from './template-fields.ts';

/** What a file with types of its own may write a column's cells as; `text` where only the definition knows how to read them. */
export type CellKind = 'text' | 'number' | 'boolean' | 'date' | 'list';

/** A header of the template with its example cells, one for each example row. */
export type TemplateColumn = {
  readonly header: string;
  readonly kind: CellKind;
  readonly cells: readonly string[];
};

/** How the example of one field is chosen: of its name, its type and the definition's settings. */
type Choice = { readonly field: TemplateField; readonly type: LeafType; readonly definition: JobDefinition };

const EXAMPLE_KEY = 'PARTNER-0001';
const EXAMPLE_PATH_ID = 'EXAMPLE-ID-0001';
const EXAMPLE_REFERENCE = 'PARTNER-0002';

/**
 * The columns of a job's template: its key, the path's identifier, then every field of the catalog once (of lists the
 * first item), under the definition's own column names. Constants, ignored columns and members whose contents are not
 * shown are left out. The example row passes the mapping; where the job groups rows, there are two, of one key.
 */
export function templateOf(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateColumn[] {
  const lookUp = createFieldLookup(catalog, pathField);
  const columns = new Map<string, TemplateColumn>();
  const addText = (header: string, example: string) =>
    columns.set(header, { header, kind: 'text', cells: rowsOf(definition, () => example) });
  if (definition.key !== undefined) addText(definition.key, EXAMPLE_KEY);
  if (pathField !== null && definition.key === pathField) addText(pathField, EXAMPLE_PATH_ID);
  for (const field of templateFields(catalog, definition, pathField)) {
    const known = lookUp(field.path);
    if (known.kind !== 'leaf' || isPartOfList(known, field)) continue;
    addColumn({ field, type: known.type, definition }, columns);
  }
  return [...columns.values()];
}

/** Rows of a group are one request, so that a single one would not show what the group is for. */
function rowsOf(definition: JobDefinition, cell: (n: number) => string): readonly string[] {
  return definition.group === undefined ? [cell(0)] : [cell(0), cell(1)];
}

/** A column that feeds several fields keeps its first example unless a later field asks for more than text. */
function addColumn(choice: Choice, columns: Map<string, TemplateColumn>): void {
  const { field, type, definition } = choice;
  const header = field.source?.column ?? formatFieldPath(field.path);
  const taken = columns.get(header);
  const isText = (field.source?.as ?? type) === 'string';
  if (taken !== undefined && isText) columns.set(header, { ...taken, kind: 'text' });
  else {
    const kind = taken === undefined ? kindOf(choice) : 'text';
    columns.set(header, { header, kind, cells: rowsOf(definition, (n) => exampleOf(choice, n)) });
  }
}

function exampleOf({ field, type, definition }: Choice, n: number): string {
  const path = formatFieldPath(field.path);
  // Nobody knows which records there are; where the field may be empty, the row passes without one.
  if (field.source?.ref !== undefined) return definition.required.includes(path) ? EXAMPLE_REFERENCE : '';
  const name = String(field.path.findLast((segment) => typeof segment === 'string'));
  const inGroup = definition.group !== undefined && path.startsWith(`${definition.group}.`);
  return exampleValue(name, type, { source: field.source, item: inGroup ? n : 0 });
}

const KINDS: Readonly<Record<LeafType, CellKind>> = {
  string: 'text',
  country: 'text',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  'date-time': 'date',
  'string-list': 'list',
};

/** A column with a conversion of its own is written as that conversion reads it. */
function kindOf({ field, type }: Choice): CellKind {
  const { column: _, ...conversion } = field.source ?? { column: '' };
  return Object.keys(conversion).length === 0 ? KINDS[type] : 'text';
}

/** The whole list has a column already, unless the definition fills it item by item. */
function isPartOfList(known: { readonly listElement: boolean }, field: TemplateField): boolean {
  return known.listElement && field.source === null;
}
