/**
 * Operations: what a job definition may ask for (DESIGN.md, section 4), the calls of the service that carry them out
 * (service-api.md, section 4), and the two facts that all safety rests on: may a call be repeated, what are its keys.
 */
import { z } from 'zod';
export const OPERATIONS = [
    'subclient.create',
    'subclient.update',
    'subclient.upsert',
    'counterparty.draft',
    'payment.documents',
];
export const operationSchema = z.enum(OPERATIONS);
/** The documented calls. An upsert is a create or an update, row by row. */
export const CALLS = [
    'subclient.create',
    'subclient.update',
    'counterparty.draft',
    'payment.documents',
];
/** Whether the call can be sent again without harm: creates carry no idempotency key (DESIGN.md, section 1). */
export const REPEATABLE = {
    'subclient.create': false,
    'subclient.update': true,
    'counterparty.draft': false,
    'payment.documents': true,
};
/** The identity ledger an operation's keys live in; `null`: keys only have to be unique within the file. */
export const IDENTITY = {
    'subclient.create': 'subclient',
    'subclient.upsert': 'subclient',
    'subclient.update': null,
    'counterparty.draft': 'counterparty',
    'payment.documents': null,
};
//# sourceMappingURL=operation.js.map