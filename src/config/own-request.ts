/**
 * `request` of a job definition: an operation of the service that its document only names, as somebody describes it who
 * knows it (`operation: custom`). Nothing about it is assumed but what HTTP says of its method: whether an outcome that is
 * not known may be asked for again decides what keeps it from being carried out twice.
 */
import { z } from 'zod';
import { isJsonPointer } from '../lib/json-pointer.ts';
import { parsePathTemplate } from '../lib/path-template.ts';
import { type BuiltIn, type OwnOperation, ownNameSchema, ownOperation } from '../model/operation.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** Methods that HTTP calls idempotent (RFC 9110, 9.2.2). */
const REPEATABLE: ReadonlySet<Method> = new Set(['GET', 'PUT', 'DELETE']);

/** An outcome that keeps the row's key says that it must not be sent again, and the others that it may. */
const KEEPS_KEY: ReadonlySet<string> = new Set(['created', 'drafted']);

export const ownRequestSchema = z
  .strictObject({
    name: ownNameSchema.describe(
      'What the operation is called in reports, with a dot in it; its keys are apart from those of all other names.',
    ),
    method: z.enum(METHODS).describe('The HTTP method.'),
    path: z
      .string()
      .superRefine((text, context) => {
        const parsed = parsePathTemplate(text);
        if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: `expected ${parsed}` });
      })
      .describe('The path below the base URL; columns in braces, percent-encoded: /v3/things/{Thing Id}.'),
    repeatable: z
      .boolean()
      .optional()
      .describe(
        'Whether a request whose outcome is not known may be sent again. Left out: yes for GET, PUT and DELETE, no for POST and PATCH.',
      ),
    success: z
      .array(z.number().int().min(200).max(299))
      .min(1)
      .optional()
      .describe('The statuses that say that it was carried out. Left out: 200 to 299.'),
    id: z
      .string()
      .refine(isJsonPointer, 'expected a JSON pointer such as /data/id (RFC 6901)')
      .optional()
      .describe("JSON pointer to the record's id in the answer. Left out: no id is looked for."),
    outcome: z
      .enum(['created', 'drafted', 'updated', 'listed'])
      .optional()
      .describe(
        'The word in the report: `created` or `drafted` where it must not be repeated, `updated` or `listed` where it may.',
      ),
    schema: z
      .union([z.string().min(1), z.record(z.string(), z.unknown())])
      .optional()
      .describe(
        'A JSON Schema of the body, as a file beside the definition: its types convert the cells, and a body that does not fit is not sent.',
      ),
  })
  .refine(
    (request) => request.outcome === undefined || KEEPS_KEY.has(request.outcome) !== isRepeatable(request),
    {
      path: ['outcome'],
      message:
        'expected created or drafted for a request that must not be repeated (its keys are kept), and updated or listed for one that may be',
    },
  )
  .describe('`operation: custom`: the request of an operation that the program does not know.');
export type OwnRequest = z.infer<typeof ownRequestSchema>;

function isRepeatable({
  method,
  repeatable,
}: {
  readonly method: Method;
  readonly repeatable?: boolean | undefined;
}): boolean {
  return repeatable ?? REPEATABLE.has(method);
}

/** The operation that a request makes: what a run of it is called, and what it may do. */
export function operationOfRequest(request: OwnRequest): OwnOperation {
  return ownOperation(request.name, isRepeatable(request));
}

/** The report's word for a row whose request was carried out. */
export function outcomeOfRequest(request: OwnRequest): NonNullable<OwnRequest['outcome']> {
  return request.outcome ?? (isRepeatable(request) ? 'updated' : 'created');
}

/** The report's word for a row in doubt of which it is said that the service carried it out. */
export function outcomeOfCreated({
  operation,
  request,
}: {
  readonly operation: BuiltIn | 'custom';
  readonly request?: OwnRequest | undefined;
}): NonNullable<OwnRequest['outcome']> {
  if (request !== undefined) return outcomeOfRequest(request);
  return operation === 'counterparty.draft' ? 'drafted' : 'created';
}
