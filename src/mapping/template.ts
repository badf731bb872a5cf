/**
 * A file to begin with: the columns that a job's definition asks for and the usual ones, with example cells that the job's own
 * mapping takes, as cells for a table and as records for JSON. The values are invented; nothing in them belongs to anybody.
 */
import {
  type FieldSource,
  type JobDefinition,
  operationOf,
  pathColumnsOf,
} from '../config/job-definition.ts';
import { namesOf } from '../lib/json-pointer.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import { isOwn, type Operation } from '../model/operation.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import { columnOf } from './compilation.ts';
import { exampleDate } from './dates.ts';
import type { ConvertedColumn } from './field-conversion.ts';
import {
  createFieldLookup,
  type FieldPath,
  formatFieldPath,
  type LeafType,
  parseFieldPath,
} from './request-field.ts';

/** How JSON may write a column's cells; `text` where only the definition knows how to read them. */
type CellKind = 'text' | 'number' | 'boolean' | 'list';

/** A header of the template with its example cells, one for each example row. */
export type TemplateColumn = {
  readonly header: string;
  readonly kind: CellKind;
  readonly cells: readonly string[];
};

type Choice = { readonly field: TemplateField; readonly type: LeafType; readonly definition: JobDefinition };

const EXAMPLE_KEY = 'PARTNER-0001';
const EXAMPLE_PATH_ID = 'EXAMPLE-ID-0001';
const EXAMPLE_REFERENCE = 'PARTNER-0002';

/**
 * The columns of a job's template, under the definition's own column names: its key, the path's identifier, the fields that the
 * definition names or requires and the usual ones, once each (of lists the first item). Constants, ignored columns and members
 * whose contents are not shown are left out. The example row passes the mapping; where the job groups rows, there are two, of one
 * key.
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
  for (const column of pathColumnsOf(definition)) addText(column, EXAMPLE_PATH_ID);
  for (const field of templateFields(catalog, definition, pathField)) {
    const known = lookUp(field.path);
    if (known.kind !== 'leaf' || isPartOfList(known, field)) continue;
    addColumn({ field, type: known.type, definition }, columns);
  }
  return [...columns.values()];
}

/** One cell per example row; two where the job groups rows, as a single row would not show what the group is for. */
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
  // No key of an existing record is known here, so that a field that may be empty stays empty.
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

/** A field that the template fills; `source` is the definition's own column and conversion for it. */
type TemplateField = { readonly path: FieldPath; readonly source: ConvertedColumn | null };

/** The fields that the definition names, then that of the path, the required and the usual ones. */
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

/** The fields that the definition leaves to headers of their own. */
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

const ADDRESS = ['streetName', 'buildingNumber', 'town', 'postCode', 'country'];

const SUBCLIENT = [
  ...['name', 'displayName', 'taxId', 'tradeRegistryId', 'vatNumber'].map((name) => `details.${name}`),
  ...ADDRESS.map((name) => `addresses.primary.${name}`),
  'addresses.billingSameAsPrimary',
  'kyc.details.incorporationDate',
  'kyc.details.industry',
  'kyc.details.monthlyPaymentsCount',
  'kyc.details.monthlyVolumeAmount',
  'kyc.details.tradingCountry',
  'kyc.details.website',
  'regulators.isRegulated',
  'regulators.name',
  'regulators.licenseNumber',
];

const COUNTERPARTY = [
  ...['name', 'firstName', 'lastName', 'email'],
  ...ADDRESS.map((name) => `address.${name}`),
  ...['isBeneficiary', 'isPayer', 'currencies'],
  ...[
    'bank',
    'country',
    'iban',
    'bic_swift',
    'accountNumber',
    'sortCodeUK',
    'routingNumber',
    'currencies',
  ].map((name) => `accounts.#.${name}`),
];

/**
 * The service's document calls no field mandatory (service-api.md, section 2), so that the usual ones are a judgement: what names a
 * record, where it is, its tax and registry numbers, its accounts, and the first questions of KYC, as the shipped samples fill them.
 */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  'subclient.create': SUBCLIENT,
  'subclient.update': SUBCLIENT,
  'subclient.upsert': SUBCLIENT,
  'counterparty.draft': COUNTERPARTY,
};

/** Of an operation that a definition describes: all that its catalog has. */
function usualFields(operation: Operation, catalog: FieldCatalog): readonly string[] {
  if (isOwn(operation)) return [...catalog.keys()];
  return (USUAL[operation] ?? []).filter((path) => catalog.has(path));
}

/** The example rows of a template as JSON records: nested where a header is a field's path, with values of the fields' own types. */
export function templateRecords(
  columns: readonly TemplateColumn[],
  definition: JobDefinition,
): readonly JsonObject[] {
  const own = new Set([...Object.values(definition.fields).map(columnOf), ...pathColumnsOf(definition)]);
  const [first] = columns;
  return (first?.cells ?? []).map((_, row) => {
    const record: Tree = new Map();
    for (const column of columns) {
      // A header that the definition names is a plain name, dots included; any other header is a path.
      const isName = own.has(column.header) || column.header === definition.key;
      put(
        record,
        isName ? [column.header] : (pathOf(column.header) ?? [column.header]),
        jsonCell(column, row),
      );
    }
    return objectOf(record);
  });
}

/** The records as a whole file: the list itself, or wrapped as `format.records` says. */
export function templateDocument(records: readonly JsonObject[], definition: JobDefinition): JsonValue {
  const names = namesOf(definition.format.records ?? '');
  return names.reduceRight<JsonValue>((value, name) => ({ [name]: value }), records);
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

/** Invented values by the last name of a field's path; the IBAN is the one that the IBAN registry prints for the UK. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['accountNumber', '55555555'],
  ['address1', '1 Sample Street'],
  ['address2', 'Unit 2'],
  ['bank', 'Example Bank'],
  ['bankCode', 'EXMP'],
  ['bic_swift', 'EXMPGB2LXXX'],
  ['bicSwift', 'EXMPGB2LXXX'],
  ['buildingNumber', '1'],
  ['city', 'Sampleton'],
  ['cnaps', '000000000000'],
  ['country', 'GBR'],
  ['crmId', 'CRM-0001'],
  ['currencies', 'EUR;GBP'],
  ['currency', 'EUR'],
  ['displayName', 'Example Trading'],
  ['email', 'accounts@example.com'],
  ['firstName', 'Alex'],
  ['id', 'EXAMPLE-ID-0001'],
  ['paymentId', 'EXAMPLE-ID-0001'],
  ['floor', '3'],
  ['iban', 'GB33BUKB20201555555555'],
  ['industry', 'Wholesale'],
  ['lastName', 'Sample'],
  ['name', 'Example Trading Ltd'],
  ['postBox', '100'],
  ['postCode', 'ZZ1 1ZZ'],
  ['requestId', '00000000-0000-4000-8000-000000000000'],
  ['room', '12'],
  ['routingNumber', '000000000'],
  ['shortfallCurrencyCode', 'EUR'],
  ['sortCodeUK', '202015'],
  ['state', 'draft'],
  ['status', 'draft'],
  ['streetName', 'Sample Street'],
  ['suggestedName', 'Example Trading Ltd'],
  ['town', 'Sampleton'],
  ['tradingName', 'Example Trading'],
  ['uri', 'https://example.com/documents'],
  ['website', 'https://example.com'],
]);

/** Values that tell a second item of a list from the first; the IBAN is a usual example for the UK. */
const OF_SECOND_ITEM: ReadonlyMap<string, string> = new Map([
  ['accountNumber', '98765432'],
  ['iban', 'GB82WEST12345698765432'],
  ['sortCodeUK', '123456'],
]);

/** The definition's own conversion, if any, and which item of a list the field is in: 0 is the first. */
type About = { readonly source: ConvertedColumn | null; readonly item: number };

/** A harmless value that the field's conversion takes. */
function exampleValue(name: string, type: LeafType, { source, item }: About): string {
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
      return (
        (item > 0 ? OF_SECOND_ITEM.get(name) : undefined) ?? BY_NAME.get(name) ?? `example ${wordsOf(name)}`
      );
  }
}

/** `tradeRegistryId` → `trade registry id`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
}
