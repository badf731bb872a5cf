import type { z } from 'zod';
import type { Call, Operation } from '../model/operation.ts';
import type { ServiceRequest } from '../model/request.ts';
import { counterpartyRequestSchema, subclientRequestSchema } from './request-schemas.ts';

/** One documented call: service-api.md, section 4. */
export type CallSpec = {
  readonly method: ServiceRequest['method'];
  /** The path up to its parameter, or the whole path where it has none. */
  readonly path: string;
  /** The path's last segment, by the name the document gives it. */
  readonly pathParameter: string | null;
  readonly body: z.ZodObject | null;
  /** Query parameters that the document names; others are passed through all the same. */
  readonly documentedQuery: readonly string[];
};

export const CALL_SPECS: Readonly<Record<Call, CallSpec>> = {
  'subclient.create': {
    method: 'POST',
    path: '/v1/subclients',
    pathParameter: null,
    body: subclientRequestSchema,
    documentedQuery: [],
  },
  'subclient.update': {
    method: 'PATCH',
    path: '/v1/subclients/',
    pathParameter: 'id',
    body: subclientRequestSchema,
    documentedQuery: [],
  },
  'counterparty.draft': {
    method: 'POST',
    path: '/v3/counterparties/draft',
    pathParameter: null,
    body: counterpartyRequestSchema,
    documentedQuery: ['validate'],
  },
  'payment.documents': {
    method: 'GET',
    path: '/v1/documents/payments/attachments/',
    pathParameter: 'paymentId',
    body: null,
    documentedQuery: [],
  },
};

/** The call whose path parameter and body say what a row of the operation can carry. */
const WIDEST_CALL: Readonly<Record<Operation, Call>> = {
  'subclient.create': 'subclient.create',
  'subclient.update': 'subclient.update',
  'subclient.upsert': 'subclient.update',
  'counterparty.draft': 'counterparty.draft',
  'payment.documents': 'payment.documents',
};

/** The field of a row that goes into the path; `null` where the path has no parameter. An upsert can do without it. */
export function pathFieldOf(operation: Operation): string | null {
  return CALL_SPECS[WIDEST_CALL[operation]].pathParameter;
}

/** The schema of the operation's request body; `null` where it has none. */
export function bodySchemaOf(operation: Operation): z.ZodObject | null {
  return CALL_SPECS[WIDEST_CALL[operation]].body;
}
