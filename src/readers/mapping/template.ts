/**
 * A file to begin with: the columns that a job's definition asks for and the usual ones, with
 * example cells that the job's own mapping takes. The values are invented.
 */
import {
  columnsOf,
  type FieldSource,
  type JobDefinition,
  operationOf,
  pathColumnsOf,
} from '../../config/job-definition.ts';
import { namesOf } from '../../lib/json-pointer.ts';
import { withMember } from '../../model/json-record.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import type { Operation } from '../../model/operation.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import { needsPathId } from '../../operations/operations.ts';
import { isOwn } from '../../operations/own.ts';
import { namesTaken } from './compilation.ts';
import { convert } from './conversion.ts';
import { exampleDate } from './dates.ts';
import { type ConvertedColumn, convertedColumn, defaultConversion } from './field-conversion.ts';
import { readData } from './read-data.ts';
import {
  createFieldLookup,
  type FieldPath,
  formatFieldPath,
  type LeafType,
  lastName,
  parseFieldPath,
} from './request-field.ts';

export type TemplateColumn = {
  readonly header: string;
  readonly cell: string;
  /** The cell in JSON. */
  readonly value: JsonValue;
};

const EXAMPLE_KEY = 'PARTNER-0001';
const EXAMPLE_PATH_ID = 'EXAMPLE-ID-0001';
const EXAMPLE_REFERENCE = 'PARTNER-0002';

/**
 * Under the definition's own column names: its key, the path's identifier, the fields that the
 * definition names or requires and the usual ones, once each (of lists the first item).
 */
export function templateOf(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateColumn[] {
  const lookUp = createFieldLookup(catalog, pathField);
  const { key } = definition;
  const columns = new Map<string, TemplateColumn>();
  const add = (column: TemplateColumn) => columns.set(column.header, column);
  if (key !== undefined) add(textColumn(key, key === pathField ? EXAMPLE_PATH_ID : EXAMPLE_KEY));
  for (const column of pathColumnsOf(definition)) add(textColumn(column, EXAMPLE_PATH_ID));
  for (const field of templateFields(catalog, definition, pathField)) {
    const known = lookUp(field.path);
    // A list has a column already, unless the definition fills it item by item.
    if (known.kind !== 'leaf' || (known.listElement && field.source === null)) continue;
    const column = columnFor(field, known.type, definition);
    const taken = columns.get(column.header);
    const isText = (field.source?.as ?? known.type) === 'string';
    // A column of several fields is text, and keeps its example unless a later one asks for more.
    add(taken === undefined ? column : textColumn(column.header, isText ? taken.cell : column.cell));
  }
  return [...columns.values()];
}

function textColumn(header: string, cell: string): TemplateColumn {
  return { header, cell, value: cell };
}

/** A column with a conversion of its own is written as that conversion reads it. */
function columnFor(field: TemplateField, type: LeafType, { required }: JobDefinition): TemplateColumn {
  const { path, source, example } = field;
  if (example !== undefined) return textColumn(source?.column ?? '', example);
  const name = formatFieldPath(path);
  const column = textColumn(source?.column ?? name, exampleOf(field, type, required.includes(name)));
  const isOwn = source !== null && Object.keys(source).length > 1;
  if (isOwn || type === 'date-time') return column;
  return { ...column, value: convert(defaultConversion(type), column.cell) ?? column.cell };
}

type TemplateField = {
  readonly path: FieldPath;
  readonly source: ConvertedColumn | null;
  /** The cell that the field is about. */
  readonly example?: string;
};

function templateFields(
  catalog: FieldCatalog,
  definition: JobDefinition,
  pathField: string | null,
): readonly TemplateField[] {
  const operation = operationOf(definition);
  // The ledger knows the identifier of what an upsert finds.
  const isPathUsual = pathField !== null && needsPathId(operation);
  const wanted = [
    ...(isPathUsual ? [pathField] : []),
    ...definition.required,
    ...usualFields(operation, catalog).map((field) => field.replaceAll('#', '0')),
  ];
  const defined = Object.keys(definition.fields).map((field) => formatFieldPath(pathOf(field)));
  const isLeft = (name: string) =>
    !definition.ignore.includes(name) && !defined.some((other) => `${other}.`.startsWith(`${name}.`));
  const left = new Set(wanted.map((field) => formatFieldPath(pathOf(field))).filter(isLeft));
  return [
    ...Object.entries(definition.fields).flatMap(([field, from]) => fieldsFrom(pathOf(field), from)),
    ...[...left].map((name) => ({ path: pathOf(name), source: null })),
  ];
}

function fieldsFrom(path: FieldPath, from: FieldSource): readonly TemplateField[] {
  if (typeof from === 'object' && 'value' in from)
    return Object.entries(from.when ?? {}).map(([column, [example = '']]) => {
      return { path, source: { column }, example };
    });
  const source = convertedColumn(from);
  return columnsOf(from).map((column) => ({ path, source: { ...source, column } }));
}

/** Of an operation that a definition describes: all that its catalog has. */
function usualFields(operation: Operation, catalog: FieldCatalog): readonly string[] {
  if (isOwn(operation)) return [...catalog.keys()];
  return readData('usual-fields.tsv').flatMap(([kind = '', field = '']) =>
    operation.startsWith(`${kind}.`) && catalog.has(field) ? [field] : [],
  );
}

/** Nothing, which no operation has for a field, where the text is no path. */
function pathOf(field: string): FieldPath {
  const path = parseFieldPath(field);
  return typeof path === 'string' ? [] : path;
}

function exampleOf({ path, source }: TemplateField, type: LeafType, isNeeded: boolean): string {
  if ((source?.columns?.indexOf(source.column ?? '') ?? 0) > 0) return '';
  // No key of an existing record is known here, so that a field that may be empty stays empty.
  if (source?.ref !== undefined) return isNeeded ? EXAMPLE_REFERENCE : '';
  switch (source?.as ?? type) {
    case 'boolean':
      return source?.true?.[0] ?? 'true';
    case 'integer':
      return '12';
    case 'number':
      return `2500${source?.decimal ?? '.'}5`;
    case 'date':
    case 'date-time':
      return exampleDate([source?.pattern ?? 'yyyy-MM-dd'].flat()[0] ?? '');
    case 'country':
      return 'GBR';
    default:
      return exampleText(lastName(path)).replaceAll(';', source?.separator ?? ';');
  }
}

function exampleText(name: string): string {
  const [, cell] = readData('examples.tsv').find(([known]) => known === name) ?? [];
  return cell ?? `example ${name}`;
}

export function templateRecord(columns: readonly TemplateColumn[], definition: JobDefinition): JsonObject {
  const own = new Set(namesTaken(definition));
  return columns
    .map(({ header, value }) => {
      // A header that the definition names is a plain name, dots included.
      const isName = own.has(header) || pathOf(header).length === 0;
      return { path: isName ? [header] : pathOf(header), value };
    })
    .toSorted((a, b) => positionIn(a.path) - positionIn(b.path))
    .reduce<JsonObject>((record, { path, value }) => withMember(record, path, value), {});
}

/** Lists are filled from their first item on. */
function positionIn(path: FieldPath): number {
  return Math.max(0, ...path.filter((segment) => typeof segment === 'number'));
}

export function templateDocument(record: JsonObject, definition: JobDefinition): JsonValue {
  const names = namesOf(definition.format.records ?? '');
  return names.reduceRight<JsonValue>((value, name) => ({ [name]: value }), [record]);
}
