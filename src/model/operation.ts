/**
 * Operations: what a job definition may ask for, the calls that carry them out, and the two facts
 * that all safety rests on: whether a call may be repeated, and what its keys are.
 */
import { z } from 'zod';

export const OPERATIONS = [
  'subclient.create',
  'subclient.update',
  'subclient.upsert',
  'counterparty.draft',
  'payment.documents',
] as const;
export type BuiltIn = (typeof OPERATIONS)[number];

/** With a dot: no identity space of a built-in operation has one. */
const OWN_NAME = /^[A-Za-z]\w{0,63}(?:\.[A-Za-z]\w{0,63}){1,4}$/;

export const ownNameSchema = z
  .string()
  .regex(OWN_NAME, 'expected a name of letters and digits with a dot in it, such as counterparty.addAccount')
  .refine(
    (name) => !OPERATIONS.some((one) => one === name),
    'expected a name that no built-in operation has',
  );

/** `operation: custom`: may it be repeated, and its name. */
export type OwnOperation = `custom.once:${string}` | `custom.again:${string}`;
const ownSchema = z.custom<OwnOperation>(
  (text) =>
    typeof text === 'string' &&
    /^custom\.(?:once|again):/.test(text) &&
    ownNameSchema.safeParse(nameIn(text)).success,
);

export const operationSchema = z.union([z.enum(OPERATIONS), ownSchema]);
export type Operation = BuiltIn | OwnOperation;

/** An upsert is a create or an update, row by row. */
export const CALLS = [
  'subclient.create',
  'subclient.update',
  'counterparty.draft',
  'payment.documents',
] as const;
export type BuiltInCall = (typeof CALLS)[number];
export type Call = BuiltInCall | OwnOperation;

export function ownOperation(name: string, repeatable: boolean): OwnOperation {
  return repeatable ? `custom.again:${name}` : `custom.once:${name}`;
}

export function isOwn(operation: Operation): operation is OwnOperation {
  return operation.startsWith('custom.');
}

const WITHOUT_ID: ReadonlySet<Operation> = new Set(['subclient.create', 'counterparty.draft']);

/** Only with an id in the path may a 404 be about the row, not the address. */
export function isInPath(operation: Operation): boolean {
  return !isOwn(operation) && !WITHOUT_ID.has(operation);
}

export function nameOf(operation: Operation): string {
  return isOwn(operation) ? nameIn(operation) : operation;
}

function nameIn(text: string): string {
  return text.slice(text.indexOf(':') + 1);
}

const REPEATABLE: Readonly<Record<BuiltInCall, boolean>> = {
  'subclient.create': false,
  'subclient.update': true,
  'counterparty.draft': false,
  'payment.documents': true,
};

/** Whether it can be sent again without harm: without an idempotency key. */
export function mayRepeat(call: Call): boolean {
  return isOwn(call) ? call.startsWith('custom.again:') : REPEATABLE[call];
}

const IDENTITY: Readonly<Record<BuiltIn, 'subclient' | 'counterparty' | null>> = {
  'subclient.create': 'subclient',
  'subclient.upsert': 'subclient',
  'subclient.update': null,
  'counterparty.draft': 'counterparty',
  'payment.documents': null,
};

/** `null`: keys only have to be unique within the file. */
export function spaceOf(operation: Operation): string | null {
  if (!isOwn(operation)) return IDENTITY[operation];
  return mayRepeat(operation) ? null : nameOf(operation);
}
