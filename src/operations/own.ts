/**
 * An operation that a job definition describes itself (`operation: custom`): all that is known of
 * it beforehand is its name, and whether it may be repeated.
 */
import { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import type { CallSpec } from './spec.ts';

export type OwnOperation = `custom.once:${string}` | `custom.again:${string}`;

/** With a dot: no space of keys of a built-in operation has one. */
const OWN_NAME = /^[A-Za-z]\w{0,63}(?:\.[A-Za-z]\w{0,63}){1,4}$/;

export const ownNameSchema = z
  .string()
  .regex(OWN_NAME, 'expected a name of letters and digits with a dot in it, such as counterparty.addAccount');

export function ownOperation(name: string, repeatable: boolean): OwnOperation {
  return repeatable ? `custom.again:${name}` : `custom.once:${name}`;
}

export function isOwn(operation: Operation): operation is OwnOperation {
  return operation.startsWith('custom.once:') || operation.startsWith('custom.again:');
}

export function nameOf(operation: Operation): string {
  return isOwn(operation) ? operation.slice(operation.indexOf(':') + 1) : operation;
}

export type OwnCall = Pick<CallSpec, 'effect' | 'mayRepeat' | 'outcome'>;

/** What can't be repeated is taken for a create. */
export function ownCall(operation: OwnOperation): OwnCall {
  return operation.startsWith('custom.again:')
    ? { effect: 'changes', mayRepeat: true, outcome: 'updated' }
    : { effect: 'creates', mayRepeat: false, outcome: 'created' };
}
