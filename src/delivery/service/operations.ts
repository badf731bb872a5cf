/**
 * How a row becomes the request of a call, and which fields a row can fill, read off the calls'
 * paths and the schemas of their bodies.
 */
import { z } from 'zod';
import { columnsOf, type FieldSource, type JobDefinition, operationOf } from '../../config/job-definition.ts';
import type { OwnRequest } from '../../config/own-request.ts';
import type { FieldCatalog, FieldType } from '../../model/mapping.ts';
import type { Call, Operation } from '../../model/operation.ts';
import type { JsonObject, ServiceRequest } from '../../model/request.ts';
import { isPublicField } from '../../operations/bodies.ts';
import { bodySchemaOf, callSpecOf, pathPartOf } from '../../operations/operations.ts';
import { isOwn, type OwnOperation } from '../../operations/own.ts';
import type { CallSpec } from '../../operations/spec.ts';

type RequestParts = {
  /** For the calls with a path parameter; ignored by the others. */
  readonly pathId: string | null;
  readonly body: JsonObject;
  /** Passed through as it stands, for any call. */
  readonly query: Readonly<Record<string, string>>;
  readonly own?: OwnRequest | undefined;
};

/** Throws where the path id is unusable, which the mapping has to refuse before. */
export function buildRequest(call: Call, parts: RequestParts): ServiceRequest {
  if (isOwn(call)) return ownRequest(call, parts);
  const spec = callSpecOf(call);
  return {
    call,
    method: spec.method,
    path: pathOf(spec, parts.pathId) + queryOf(parts.query),
    body: spec.body === null ? null : JSON.stringify(parts.body),
  };
}

function ownRequest(call: OwnOperation, { own, pathId, body, query }: RequestParts): ServiceRequest {
  if (own === undefined || pathId === null)
    throw new Error(`a request for ${call} was built without its path`);
  // A row lacking a field that the definition fills is invalid: an empty body means none.
  const hasBody = Object.keys(body).length > 0;
  return {
    call,
    method: own.method,
    path: pathId + queryOf(query),
    body: hasBody ? JSON.stringify(body) : null,
  };
}

function pathOf(spec: CallSpec, pathId: string | null): string {
  const part = pathPartOf(spec);
  if (part === null) return spec.path;
  const segment = pathId === null ? null : pathSegment(pathId);
  if (segment !== null) return spec.path.replace(`{${part}}`, () => segment);
  throw new Error(`a request for ${spec.method} ${spec.path} was built without a usable id`);
}

/** One segment of a path; `null` where the text would lead elsewhere, or can't be encoded. */
export function pathSegment(text: string): string | null {
  // Encoding leaves `.` and `..` as they are, and a server would resolve them to another path.
  return text === '' || text === '.' || text === '..' || !text.isWellFormed()
    ? null
    : encodeURIComponent(text);
}

function queryOf(query: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in query) {
    text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(query[name] ?? '')}`;
  }
  return text;
}

const catalogs = new Map<Operation, FieldCatalog>();

/** The fields that rows of the job can carry. */
export function catalogOf(definition: JobDefinition): FieldCatalog {
  return isOwn(operationOf(definition)) ? ownCatalog(definition) : fieldCatalog(operationOf(definition));
}

/** None of an operation that a job definition describes: that definition is not at hand. */
export function knownFields(operation: Operation): FieldCatalog {
  return isOwn(operation) ? NO_FIELDS : fieldCatalog(operation);
}

const NO_FIELDS: FieldCatalog = new Map();

/** The columns that fill public fields alone; `null`: what they fill is not known. */
export function publicColumns(
  definition: Pick<JobDefinition, 'key' | 'fields'> | null,
  columns: readonly string[],
): ReadonlySet<string> {
  if (definition === null) return new Set();
  const mapped = Object.entries(definition.fields);
  const isPublic = (column: string) => {
    const own = mapped.filter(([, from]) => columnsOf(from).includes(column)).map(([field]) => field);
    return column !== definition.key && (own.length === 0 ? [column] : own).every(isPublicField);
  };
  return new Set(columns.filter(isPublic));
}

/** By name with its type, read off the zod schema; empty where there is no body. */
export function fieldCatalog(operation: Operation): FieldCatalog {
  const schema = bodySchemaOf(operation);
  const catalog: FieldCatalog =
    catalogs.get(operation) ?? new Map(schema === null ? [] : fieldsOf(schema, ''));
  catalogs.set(operation, catalog);
  return catalog;
}

function fieldsOf(object: z.ZodObject, prefix: string): Array<[string, FieldType]> {
  return Object.entries(object.shape).flatMap(([name, member]) => fieldsAt(unwrap(member), prefix + name));
}

function fieldsAt(schema: z.core.$ZodType, path: string): Array<[string, FieldType]> {
  if (schema instanceof z.ZodObject) {
    return Object.keys(schema.shape).length === 0 ? [[path, 'object']] : fieldsOf(schema, `${path}.`);
  }
  if (!(schema instanceof z.ZodArray)) return [[path, scalarType(schema, path)]];
  const element = unwrap(schema.element);
  if (element instanceof z.ZodObject) return fieldsOf(element, `${path}.#.`);
  return [[path, 'string-list']];
}

function scalarType(schema: z.core.$ZodType, path: string): FieldType {
  if (schema instanceof z.ZodBoolean) return 'boolean';
  // z.int() is a ZodNumber too, so that integers are told first.
  if (schema instanceof z.ZodNumberFormat) return 'integer';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodISODateTime) return 'date-time';
  if (schema instanceof z.ZodString) return schema.meta()?.field === 'country' ? 'country' : 'string';
  throw new Error(`the request schema has a type at "${path}" that the field catalog doesn't know`);
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

/** By the catalog's way of writing positions. */
function ownCatalog({ fields }: Pick<JobDefinition, 'fields'>): FieldCatalog {
  return new Map(
    Object.entries(fields).map(([field, source]) => [
      field.replaceAll(/\[(\d+)\]/g, '.$1').replaceAll(/\.\d+(?=\.|$)/g, '.#'),
      typeOf(source),
    ]),
  );
}

const TYPES = {
  string: 'string',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  date: 'date-time',
  country: 'country',
  list: 'string-list',
} as const;

function typeOf(source: FieldSource): FieldType {
  if (typeof source === 'string') return 'string';
  if ('value' in source) return typeOfConstant(source.value);
  if (source.as !== undefined) return TYPES[source.as];
  if (source.pattern !== undefined) return 'date-time';
  if (source.decimal !== undefined) return 'number';
  if (source.separator !== undefined) return 'string-list';
  return source.true === undefined && source.false === undefined ? 'string' : 'boolean';
}

function typeOfConstant(value: string | number | boolean): FieldType {
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' ? 'number' : 'string';
}
