/**
 * An operation that a job definition describes itself: the fields that its rows can carry, its request, and what an answer
 * of success holds. Fields and their types are those that the definition names,
 * or its JSON Schema: nothing is known of the body but that.
 */

import { z } from 'zod';
import type { FieldSource, JobDefinition } from '../config/job-definition.ts';
import { type OwnRequest, outcomeOfRequest } from '../config/own-request.ts';
import { valueAtPointer } from '../lib/json-pointer.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { FieldCatalog, FieldType } from '../model/mapping.ts';
import { mayRepeat, type OwnOperation } from '../model/operation.ts';
import { readId } from '../model/record-id.ts';
import type { JsonObject, ServiceRequest, Verdict } from '../model/request.ts';

/** The fields of the body: those that the definition fills, by the catalog's way of writing positions. */
export function ownCatalog({
  fields,
  request,
}: Pick<JobDefinition, 'fields'> & { readonly request?: OwnRequest | undefined }): FieldCatalog {
  if (request?.schema !== undefined) return new Map(fieldsIn(request.schema, ''));
  return new Map(
    Object.entries(fields).map(([field, source]) => [
      field.replaceAll(/\[(\d+)\]/g, '.$1').replaceAll(/\.\d+(?=\.|$)/g, '.#'),
      typeOf(source),
    ]),
  );
}

const nodeSchema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});

/** The fields of a JSON Schema, each with the type that converts its cells; what says nothing of its type is text. */
function fieldsIn(schema: unknown, path: string): readonly (readonly [string, FieldType])[] {
  const node = nodeSchema.safeParse(schema).data ?? {};
  const [type] = [node.type ?? []].flat().filter((one) => one !== 'null');
  if (type === 'object' || node.properties !== undefined) return membersIn(node.properties ?? {}, path);
  if (type !== 'array') return [[path, typeNamed(type, node.format)]];
  const items = fieldsIn(node.items, `${path}.#`);
  const [first] = items;
  if (first === undefined || first[0] !== `${path}.#`) return items;
  return [[path, first[1] === 'string' ? 'string-list' : 'object']];
}

function membersIn(
  members: Readonly<Record<string, unknown>>,
  path: string,
): readonly (readonly [string, FieldType])[] {
  const prefix = path === '' ? '' : `${path}.`;
  const fields = Object.entries(members).flatMap(([name, member]) => fieldsIn(member, prefix + name));
  return fields.length === 0 && path !== '' ? [[path, 'object']] : fields;
}

function typeNamed(type: string | undefined, format: string | undefined): FieldType {
  if (type === 'boolean' || type === 'integer' || type === 'number') return type;
  return format === 'date-time' ? 'date-time' : 'string';
}

/** What in a body does not fit its JSON Schema. */
export type BodyProblem = { readonly path: readonly PropertyKey[]; readonly expected: string };

/** Checks bodies by the request's JSON Schema, `undefined` where it has none; a UsageError where the schema is none. */
export function ownBodyCheck(
  request: OwnRequest | undefined,
): ((body: JsonObject) => readonly BodyProblem[]) | undefined {
  const schema = request?.schema;
  if (schema === undefined) return undefined;
  if (typeof schema === 'string') {
    throw new UsageError(`request.schema: ${schema} was not read; expected its content`);
  }
  const checked = compiled(schema);
  return (body) =>
    (checked.safeParse(body).error?.issues ?? []).map(({ path, message }) => ({ path, expected: message }));
}

function compiled(schema: Exclude<NonNullable<OwnRequest['schema']>, string>): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`request.schema: it can't be used as a JSON Schema: ${why}`, { cause: error });
  }
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
  if (!('column' in source)) return typeOfConstant(source.value);
  if (source.as !== undefined) return TYPES[source.as];
  if (source.pattern !== undefined) return 'date-time';
  if (source.decimal !== undefined || source.grouping !== undefined) return 'number';
  return source.true === undefined && source.false === undefined ? 'string' : 'boolean';
}

function typeOfConstant(value: string | number | boolean): FieldType {
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' ? 'number' : 'string';
}

/** The request of one row; `path` is filled and encoded. */
export function buildOwnRequest(
  call: OwnOperation,
  { method }: OwnRequest,
  { path, body }: { readonly path: string; readonly body: JsonObject },
): ServiceRequest {
  // A row without a field that the definition fills is invalid, so that an empty body is a request without one.
  const hasBody = Object.keys(body).length > 0;
  return { call, method, path, body: hasBody ? JSON.stringify(body) : null };
}

type Success = { readonly status: number; readonly json: unknown; readonly trouble: string | null };

/** What an answer of success holds, or that it is none after all. A request without `id` was carried out, whatever came. */
export function judgeOwnSuccess(
  call: OwnOperation,
  request: OwnRequest,
  { status, json, trouble }: Success,
): Verdict {
  if (request.success !== undefined && !request.success.includes(status)) return notASuccess(call, status);
  const accepted = {
    kind: 'accepted',
    outcome: outcomeOfRequest(request),
    status,
    documents: null,
    warning: trouble,
  } as const;
  if (request.id === undefined) return { ...accepted, id: null };
  const given = readId(json === undefined ? undefined : valueAtPointer(json, request.id));
  if (given.kind === 'id') return { ...accepted, id: given.id };
  const wrong =
    given.kind === 'unusable' ? 'the id that it gave can not be used.' : `there was no id at ${request.id}.`;
  const message = `The service answered ${status}, but ${wrong}`;
  if (mayRepeat(call)) return { ...accepted, id: null, warning: message };
  if (json === undefined) return { kind: 'unknown', status, code: 'answer_unreadable', message };
  return given.kind === 'unusable'
    ? { kind: 'unknown', status, code: 'accepted_id_unusable', message, givenId: given.text.slice(0, 100) }
    : { kind: 'unknown', status, code: 'accepted_without_id', message, givenId: '' };
}

/** Another 2xx, such as 202 for what is yet to be carried out. */
function notASuccess(call: OwnOperation, status: number): Verdict {
  const message = `The service answered ${status}, which the job definition does not count as success.`;
  const code = `http_${status}`;
  return mayRepeat(call)
    ? { kind: 'refused', outcome: 'failed', status, code, message, body: '' }
    : {
        kind: 'unknown',
        status,
        code,
        message: `${message} Whether it carried the request out is not known.`,
      };
}
