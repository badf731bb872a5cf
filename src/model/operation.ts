import { z } from 'zod';

/** What a job definition may ask for (DESIGN.md, section 4). */
export const OPERATIONS = [
  'subclient.create',
  'subclient.update',
  'subclient.upsert',
  'counterparty.draft',
  'payment.documents',
] as const;
export const operationSchema = z.enum(OPERATIONS);
export type Operation = z.infer<typeof operationSchema>;

/** One documented call of the service (service-api.md, section 4). An upsert is one or the other, row by row. */
export const CALLS = [
  'subclient.create',
  'subclient.update',
  'counterparty.draft',
  'payment.documents',
] as const;
export const callSchema = z.enum(CALLS);
export type Call = z.infer<typeof callSchema>;

/** Whether sending the call again can do harm: creates carry no idempotency key (DESIGN.md, section 1). */
export const REPEATABLE: Readonly<Record<Call, boolean>> = {
  'subclient.create': false,
  'subclient.update': true,
  'counterparty.draft': false,
  'payment.documents': true,
};

/** The identity ledger an operation's keys live in; `null`: keys only have to be unique within the file. */
export const IDENTITY: Readonly<Record<Operation, 'subclient' | 'counterparty' | null>> = {
  'subclient.create': 'subclient',
  'subclient.upsert': 'subclient',
  'subclient.update': null,
  'counterparty.draft': 'counterparty',
  'payment.documents': null,
};
