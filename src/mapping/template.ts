/**
 * A file to begin with: the columns that a job's definition asks for and the usual ones, with
 * example cells that the job's own mapping takes, as cells for a table and as a record for JSON.
 * The values are invented; nothing in them belongs to anybody.
 */
import {
  type FieldSource,
  type JobDefinition,
  operationOf,
  pathColumnsOf,
} from '../config/job-definition.ts';
import { namesOf } from '../lib/json-pointer.ts';
import { withMember } from '../model/json-record.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import { isOwn, type Operation } from '../model/operation.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import { columnOf } from './compilation.ts';
import { exampleDate } from './dates.ts';
import type { ConvertedColumn } from './field-conversion.ts';
import { readData, remembered } from './read-data.ts';
import {
  createFieldLookup,
  type FieldPath,
  formatFieldPath,
  type LeafType,
  parseFieldPath,
} from './request-field.ts';

type CellKind = 'text' | 'number' | 'boolean' | 'list';

export type TemplateColumn = { readonly header: string; readonly kind: CellKind; readonly cell: string };

type Choice = { readonly field: TemplateField; readonly type: LeafType; readonly definition: JobDefinition };

const EXAMPLE_KEY = 'PARTNER-0001';
const EXAMPLE_PATH_ID = 'EXAMPLE-ID-0001';
const EXAMPLE_REFERENCE = 'PARTNER-0002';

/**
 * The columns of a job's template, under the definition's own column names: its key, the path's
 * identifier, the fields that the definition names or requires and the usual ones, once each (of
 * lists the first item). Constants, ignored columns and members whose contents are not shown are
 * left out. The example row passes the mapping.
 */
export function templateOf(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateColumn[] {
  const lookUp = createFieldLookup(catalog, pathField);
  const columns = new Map<string, TemplateColumn>();
  const addText = (header: string, cell: string) => columns.set(header, { header, kind: 'text', cell });
  if (definition.key !== undefined) addText(definition.key, EXAMPLE_KEY);
  if (pathField !== null && definition.key === pathField) addText(pathField, EXAMPLE_PATH_ID);
  for (const column of pathColumnsOf(definition)) addText(column, EXAMPLE_PATH_ID);
  for (const field of templateFields(catalog, definition, pathField)) {
    const known = lookUp(field.path);
    if (known.kind !== 'leaf' || isPartOfList(known, field)) continue;
    addColumn({ field, type: known.type, definition }, columns);
  }
  return [...columns.values()];
}

/** A column of several fields keeps its first example unless a later one asks for more than text. */
function addColumn(choice: Choice, columns: Map<string, TemplateColumn>): void {
  const { field, type } = choice;
  const header = field.source?.column ?? formatFieldPath(field.path);
  const taken = columns.get(header);
  const isText = (field.source?.as ?? type) === 'string';
  if (taken !== undefined && isText) columns.set(header, { ...taken, kind: 'text' });
  else {
    const kind = taken === undefined ? kindOf(choice) : 'text';
    columns.set(header, { header, kind, cell: exampleOf(choice) });
  }
}

function exampleOf({ field, type, definition }: Choice): string {
  const path = formatFieldPath(field.path);
  // No key of an existing record is known here, so that a field that may be empty stays empty.
  if (field.source?.ref !== undefined) return definition.required.includes(path) ? EXAMPLE_REFERENCE : '';
  const name = String(field.path.findLast((segment) => typeof segment === 'string'));
  return exampleValue(name, type, field.source);
}

const KINDS: Readonly<Record<LeafType, CellKind>> = {
  string: 'text',
  country: 'text',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  'date-time': 'text',
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

type TemplateField = { readonly path: FieldPath; readonly source: ConvertedColumn | null };

function templateFields(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateField[] {
  const operation = operationOf(definition);
  // The ledger knows the identifier of what an upsert finds.
  const isPathUsual = pathField !== null && operation !== 'subclient.upsert';
  const open = [
    ...(isPathUsual ? [pathField] : []),
    ...definition.required.map((field) => formatFieldPath(pathOf(field) ?? [])),
    ...usualFields(operation, catalog).map((field) => field.replaceAll('#', '0')),
  ];
  return [...definedFields(definition), ...undefinedFields([...new Set(open)], definition)];
}

function definedFields(definition: JobDefinition): readonly TemplateField[] {
  return Object.entries(definition.fields).flatMap(([field, source]) => {
    const path = pathOf(field);
    const column = convertedColumn(source);
    return path === null || column === null ? [] : [{ path, source: column }];
  });
}

function undefinedFields(fields: readonly string[], definition: JobDefinition): readonly TemplateField[] {
  const defined = Object.keys(definition.fields).map((field) => formatFieldPath(pathOf(field) ?? []));
  return fields.flatMap((field) => {
    const path = pathOf(field);
    if (path === null) return [];
    const name = formatFieldPath(path);
    const taken = defined.some((other) => other === name || other.startsWith(`${name}.`));
    return taken || definition.ignore.includes(name) ? [] : [{ path, source: null }];
  });
}

function pathOf(field: string): FieldPath | null {
  const path = parseFieldPath(field);
  return typeof path === 'string' ? null : path;
}

function convertedColumn(source: FieldSource): ConvertedColumn | null {
  if (typeof source === 'string') return { column: source };
  return 'column' in source ? source : null;
}

/** Of an operation that a definition describes: all that its catalog has. */
function usualFields(operation: Operation, catalog: FieldCatalog): readonly string[] {
  if (isOwn(operation)) return [...catalog.keys()];
  return readData('usual-fields.tsv').flatMap(([kind = '', field = '']) =>
    operation.startsWith(`${kind}.`) && catalog.has(field) ? [field] : [],
  );
}

/** Nested where a header is a field's path, with values of the fields' own types. */
export function templateRecord(columns: readonly TemplateColumn[], definition: JobDefinition): JsonObject {
  const own = new Set([...Object.values(definition.fields).map(columnOf), ...pathColumnsOf(definition)]);
  return columns
    .map((column) => {
      // A header that the definition names is a plain name, dots included.
      const isName = own.has(column.header) || column.header === definition.key;
      return { column, path: (isName ? null : pathOf(column.header)) ?? [column.header] };
    })
    .toSorted((a, b) => positionIn(a.path) - positionIn(b.path))
    .reduce<JsonObject>((record, { path, column }) => withMember(record, path, jsonCell(column)), {});
}

/** Lists are filled from their first item on. */
function positionIn(path: FieldPath): number {
  return Math.max(0, ...path.filter((segment) => typeof segment === 'number'));
}

export function templateDocument(record: JsonObject, definition: JobDefinition): JsonValue {
  const names = namesOf(definition.format.records ?? '');
  return names.reduceRight<JsonValue>((value, name) => ({ [name]: value }), [record]);
}

function jsonCell({ kind, cell }: TemplateColumn): JsonValue {
  if (kind === 'number') return Number(cell);
  if (kind === 'boolean') return cell === 'true';
  return kind === 'list' ? cell.split(';') : cell;
}

const examples = remembered(
  (table: string): ReadonlyMap<string, string> =>
    new Map(readData(table).map(([name = '', cell = '']) => [name, cell])),
);

function exampleValue(name: string, type: LeafType, source: ConvertedColumn | null): string {
  switch (source?.as ?? type) {
    case 'boolean':
      return source?.true?.[0] ?? 'true';
    case 'integer':
      return '12';
    case 'number':
      return `2500${source?.decimal ?? '.'}5`;
    case 'date':
    case 'date-time':
      return source?.pattern === undefined ? '2020-03-31' : exampleDate(source.pattern);
    case 'country':
      return 'GBR';
    default:
      return examples('examples.tsv').get(name) ?? `example ${wordsOf(name)}`;
  }
}

/** `tradeRegistryId` → `trade registry id`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
}
