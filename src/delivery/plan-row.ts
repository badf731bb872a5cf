import type { JobDefinition } from '../config/job-definition.ts';
import type { Mark } from '../ledger/mark.ts';
import { describeIssue, type Issue } from '../model/issue.ts';
import type { Mapping } from '../model/mapping.ts';
import { type Call, type Operation, REPEATABLE } from '../model/operation.ts';
import type { ServiceRequest } from '../model/request.ts';
import type { RowEnd, RowTask } from './row-task.ts';
import type { ServiceEdge } from './run-context.ts';

/** What is to be done about a row. */
export type RowPlan =
  | { readonly kind: 'done' }
  | { readonly kind: 'settle'; readonly end: RowEnd }
  | {
      readonly kind: 'send';
      readonly request: ServiceRequest;
      /** A dead worker's intent that is taken over, `''` where the row is untouched. */
      readonly expected: string;
    };

type Means = {
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly service: Pick<ServiceEdge, 'build'>;
};

/**
 * Decides a row's next step from its mark, its key's claim and its mapping (DESIGN.md, section 5).
 * A row that the program itself stumbles over is invalid: it must not keep its chunk from ending.
 */
export function planRow(task: RowTask, mark: Mark | undefined, means: Means): RowPlan {
  if (mark?.kind === 'settled') return { kind: 'done' };
  try {
    return planUnsettled(task, mark, means);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    const message = `this row could not be made into a request: a defect of the program (${name})`;
    return { kind: 'settle', end: { outcome: 'invalid', code: 'internal', message } };
  }
}

/** The same for a run that was cancelled: nothing is sent any more, and what may have been sent is in doubt. */
export function planCancelled(task: RowTask, mark: Mark | undefined): RowPlan {
  if (mark?.kind === 'settled') return { kind: 'done' };
  if (mark !== undefined) return { kind: 'settle', end: WORKER_LOST };
  const call = callOfClaimed(task.run.operation);
  if (task.suspect && !REPEATABLE[call]) return { kind: 'settle', end: JOURNAL_LOST };
  return { kind: 'settle', end: { outcome: 'cancelled' } };
}

function planUnsettled(
  task: RowTask,
  mark: Extract<Mark, { kind: 'intent' }> | undefined,
  means: Means,
): RowPlan {
  const step = callFor(task, means.definition);
  if (step.kind === 'settle') return step;
  if (!REPEATABLE[step.call] && means.definition.onUnknownOutcome === 'hold') {
    if (mark !== undefined) return { kind: 'settle', end: WORKER_LOST };
    if (task.suspect) return { kind: 'settle', end: JOURNAL_LOST };
  }
  const mapped = means.mapping.map(task.row);
  if (mapped.kind === 'issues') return { kind: 'settle', end: invalid(mapped.issues) };
  const pathId = step.knownId ?? mapped.pathId;
  const request = means.service.build(step.call, { pathId, body: mapped.body });
  return { kind: 'send', request, expected: mark?.text ?? '' };
}

const WORKER_LOST: RowEnd = {
  outcome: 'in-doubt',
  code: 'worker_lost',
  message: 'the worker ended while the request was in flight',
};

const JOURNAL_LOST: RowEnd = {
  outcome: 'in-doubt',
  code: 'journal_lost',
  message: 'Redis lost what it knew, and the journal of a worker that may have sent the row is gone',
};

type Step =
  | { readonly kind: 'settle'; readonly end: RowEnd }
  | { readonly kind: 'call'; readonly call: Call; readonly knownId: string | null };

function callFor({ claim, run }: RowTask, definition: JobDefinition): Step {
  switch (claim.kind) {
    case 'claimed':
      return {
        kind: 'call',
        call: callOfClaimed(run.operation),
        knownId: null,
      };
    case 'known':
      return callForKnown(claim, run.operation === 'subclient.upsert' ? 'update' : definition.onKnownKey);
    case 'duplicate':
      return unsendable('duplicate_key', `the same key is in row ${claim.row} of this file`);
    case 'held':
      return unsendable(claim.inDoubt ? 'key_in_doubt' : 'key_held', heldMessage(claim));
    default:
      return claim satisfies never;
  }
}

function callOfClaimed(operation: Operation): Call {
  return operation === 'subclient.upsert' ? 'subclient.create' : operation;
}

function callForKnown(
  claim: { readonly run: string; readonly id: string },
  policy: JobDefinition['onKnownKey'],
): Step {
  switch (policy) {
    case 'update':
      return { kind: 'call', call: 'subclient.update', knownId: claim.id };
    case 'skip': {
      const message = `already created by run ${claim.run}`;
      return { kind: 'settle', end: { outcome: 'skipped', id: claim.id, code: 'key_known', message } };
    }
    case 'fail':
      return unsendable('key_known', `already created by run ${claim.run} as ${claim.id}`);
    default:
      return policy satisfies never;
  }
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

function invalid(issues: readonly Issue[]): RowEnd {
  return {
    outcome: 'invalid',
    code: issues[0]?.code ?? 'unreadable_row',
    message: issues.map(describeIssue).join('; '),
  };
}
