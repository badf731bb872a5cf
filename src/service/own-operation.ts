/**
 * An operation that a job definition describes: its fields, its request, and what an answer of
 * success holds. Nothing is known of the body but what the definition names.
 */

import type { FieldSource, JobDefinition } from '../config/job-definition.ts';
import type { OwnRequest } from '../config/own-request.ts';
import { valueAtPointer } from '../lib/json-pointer.ts';
import type { FieldCatalog, FieldType } from '../model/mapping.ts';
import { mayRepeat, type OwnOperation } from '../model/operation.ts';
import { readId } from '../model/record-id.ts';
import type { JsonObject, ServiceRequest, Verdict } from '../model/request.ts';

/** By the catalog's way of writing positions. */
export function ownCatalog({ fields }: Pick<JobDefinition, 'fields'>): FieldCatalog {
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
  if (!('column' in source)) return typeOfConstant(source.value);
  if (source.as !== undefined) return TYPES[source.as];
  if (source.pattern !== undefined) return 'date-time';
  if (source.decimal !== undefined) return 'number';
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
  // A row without a field that the definition fills is invalid: an empty body means a request
  // without.
  const hasBody = Object.keys(body).length > 0;
  return { call, method, path, body: hasBody ? JSON.stringify(body) : null };
}

type Success = { readonly status: number; readonly json: unknown; readonly trouble: string | null };

/** A request without `id` was carried out, whatever came. */
export function judgeOwnSuccess(
  call: OwnOperation,
  request: OwnRequest,
  { status, json, trouble }: Success,
): Verdict {
  const accepted = {
    kind: 'accepted',
    outcome: mayRepeat(call) ? 'updated' : 'created',
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
