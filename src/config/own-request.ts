/**
 * `request` of a job definition (`operation: custom`): an operation that the service's document
 * only names, described by somebody who knows it. Of its method only what HTTP says is assumed:
 * whether an unknown outcome may be asked for again decides what keeps it from being carried out
 * twice.
 */
import { z } from 'zod';
import { isJsonPointer } from '../lib/json-pointer.ts';
import { parsePathTemplate } from '../lib/path-template.ts';
import { isBuiltIn } from '../operations/operations.ts';
import { type OwnOperation, ownNameSchema, ownOperation } from '../operations/own.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** `id`: in the header `Location` instead of the body. */
export const ID_IN_LOCATION = 'location';
/** Methods that HTTP calls idempotent (RFC 9110, 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE']);

/** A token of HTTP (RFC 9110, 5.6.2). */
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;
/** The client sends these itself, or they say how it does. */
const OF_CLIENT = /^(accept|authorization|connection|cookie|date|expect|host|keep-alive|te|upgrade)$/i;
const OF_CLIENT_TOO = /^(accept-|content-|proxy-|trailer|transfer-|user-agent)/i;

export const ownRequestSchema = z
  .strictObject({
    name: ownNameSchema
      .refine((name) => !isBuiltIn(name), 'expected a name that no built-in operation has')
      .describe(
        'What the operation is called in reports, with a dot in ' +
          'it; its keys are apart from those of all other names.',
      ),
    method: z
      .enum(METHODS)
      .describe('The HTTP method. GET, PUT and DELETE are sent again where their outcome is not known.'),
    path: z
      .string()
      .superRefine((text, context) => {
        const parsed = parsePathTemplate(text);
        if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: `expected ${parsed}` });
      })
      .describe('The path below the base URL; columns in braces, percent-encoded: /v3/things/{Thing Id}.'),
    id: z
      .string()
      .refine(
        (id) => id === ID_IN_LOCATION || isJsonPointer(id),
        'expected a JSON pointer such as /data/id (RFC 6901), or location',
      )
      .optional()
      .describe(
        "Where the record's id is in the answer: a JSON pointer, " +
          "or `location` for the last part of that header's path. " +
          'Left out: no id is looked for.',
      ),
    idempotencyHeader: z
      .string()
      .refine(
        (name) => HEADER.test(name) && !OF_CLIENT.test(name) && !OF_CLIENT_TOO.test(name),
        'expected the name of a request header that is sent for nothing else, such as Idempotency-Key',
      )
      .optional()
      .describe(
        'The request header by which the service carries a POST or ' +
          'PATCH out once: each row has a value of its own, and with ' +
          'it a request whose outcome is not known is sent again.',
      ),
    idempotencyHours: z
      .number()
      .positive()
      .max(720)
      .optional()
      .describe('So long the service remembers a value; then an unknown outcome is in doubt.'),
  })
  .refine(({ method, idempotencyHeader }) => !idempotencyHeader || !REPEATABLE.has(method), {
    path: ['idempotencyHeader'],
    message: 'expected none: a GET, PUT or DELETE is sent again without it',
  })
  .refine(({ idempotencyHeader, idempotencyHours }) => !idempotencyHeader === !idempotencyHours, {
    path: ['idempotencyHours'],
    message: 'expected beside idempotencyHeader, and only there',
  })
  .describe('`operation: custom`: the request of an operation that the program does not know.');
export type OwnRequest = z.infer<typeof ownRequestSchema>;

export function operationOfRequest({ name, method }: OwnRequest): OwnOperation {
  return ownOperation(name, REPEATABLE.has(method));
}
