import type { JobDefinition } from '../config/job-definition.ts';
import type { Issue } from '../model/issue.ts';
import type { Call, Operation } from '../model/operation.ts';
import type { RowEnd, RowTask } from './row-task.ts';

/** The call that a row is to become, or its end where the claim of its key leaves none. */
export type Step =
  | { readonly kind: 'settle'; readonly end: RowEnd }
  | { readonly kind: 'call'; readonly call: Call; readonly knownId: string | null };

/** What the claim of a row's key asks for. */
export function callFor({ claim, run }: RowTask, definition: JobDefinition): Step {
  switch (claim.kind) {
    case 'claimed':
      return {
        kind: 'call',
        call: callOfClaimed(run.operation),
        knownId: null,
      };
    case 'known':
      return callForKnown(claim, run.operation, definition);
    case 'duplicate':
      return unsendable('duplicate_key', duplicateMessage(claim.row, definition));
    case 'held':
      return unsendable(claim.inDoubt ? 'key_in_doubt' : 'key_held', heldMessage(claim));
    default:
      return claim satisfies never;
  }
}

/** The call for a key that was free. */
export function callOfClaimed(operation: Operation): Call {
  return operation === 'subclient.upsert' ? 'subclient.create' : operation;
}

function callForKnown(
  claim: { readonly run: string; readonly id: string },
  operation: Operation,
  { onKnownKey, group }: JobDefinition,
): Step {
  const policy = operation === 'subclient.upsert' ? 'update' : onKnownKey;
  switch (policy) {
    case 'update':
      return { kind: 'call', call: 'subclient.update', knownId: claim.id };
    case 'skip': {
      const message = `already created by run ${claim.run}${group === undefined ? '' : `; its ${group} were not compared`}`;
      return { kind: 'settle', end: { outcome: 'skipped', id: claim.id, code: 'key_known', message } };
    }
    case 'fail':
      return unsendable('key_known', `already created by run ${claim.run} as ${claim.id}`);
    default:
      return policy satisfies never;
  }
}

function duplicateMessage(row: number, { group }: JobDefinition): string {
  const message = `the same key is in row ${row} of this file`;
  return group === undefined ? message : `${message}: rows of one key must follow each other`;
}

function heldMessage(claim: {
  readonly run: string;
  readonly row: number;
  readonly inDoubt: boolean;
}): string {
  const place = `row ${claim.row} of run ${claim.run}`;
  return claim.inDoubt
    ? `${place} has this key and its outcome is in doubt`
    : `${place} has this key and is not done yet`;
}

function unsendable(code: Issue['code'], message: string): Step {
  return { kind: 'settle', end: { outcome: 'invalid', code, message } };
}
