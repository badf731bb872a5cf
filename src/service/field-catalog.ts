import { z } from 'zod';
import type { FieldCatalog, FieldType } from '../model/mapping.ts';
import type { Operation } from '../model/operation.ts';
import { bodySchemaOf } from './operations.ts';

const catalogs = new Map<Operation, FieldCatalog>();

/** Every field of an operation's request body with its type, read off the zod schema; empty where there is no body. */
export function fieldCatalog(operation: Operation): FieldCatalog {
  const known = catalogs.get(operation);
  if (known !== undefined) return known;
  const schema = bodySchemaOf(operation);
  const catalog: FieldCatalog = new Map(schema === null ? [] : fieldsOf(schema, ''));
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
  // z.int() is a ZodNumber too, so it is asked for first.
  if (schema instanceof z.ZodNumberFormat) return 'integer';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodISODateTime) return 'date-time';
  if (schema instanceof z.ZodString) return schema.meta()?.field === 'country' ? 'country' : 'string';
  throw new Error(`the request schema has a type at "${path}" that the field catalog doesn't know`);
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}
