import type { JobDefinition } from '../config/job-definition.ts';
import type { Mark } from '../ledger/mark.ts';
import { areFieldsKnown, type FieldsChange, type KeyPlace } from '../ledger/settle-entry.ts';
import { changedFields, packFieldDigests } from '../mapping/field-digests.ts';
import { withReferences } from '../mapping/with-references.ts';
import { describeIssue, type Issue } from '../model/issue.ts';
import type { Mapped, Mapping } from '../model/mapping.ts';
import { type Call, IDENTITY, type Operation, REPEATABLE } from '../model/operation.ts';
import type { JsonObject, ServiceRequest } from '../model/request.ts';
import { type Answers, type Questions, resolveReferences } from './consultation.ts';
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
      readonly warnings?: readonly Issue[];
      /** What is known of what the service has of the record's fields, and what it has once it has accepted the request. */
      readonly fields?: FieldsChange;
    }
  /** The ledger is to be asked first. */
  | {
      readonly kind: 'consult';
      readonly questions: Questions;
      /** `wait`: ask again in a moment. */
      decide(answers: Answers): RowPlan | { readonly kind: 'wait' };
    };

export type Means = {
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly service: Pick<ServiceEdge, 'build'>;
};

/**
 * Decides a row's next step from its mark, its key's claim and its mapping (DESIGN.md, section 5).
 * A row that the program itself stumbles over is invalid: it must not keep its chunk from ending.
 */
export function planRow(task: RowTask, mark: Mark | undefined, means: Means): RowPlan {
  return planRequest(task, mark, { ...means, map: () => means.mapping.map(task.row) });
}

/** The same where more than the task's own row may go into its request. */
export function planRequest(
  task: RowTask,
  mark: Mark | undefined,
  means: Means & { map(): Mapped },
): RowPlan {
  if (mark?.kind === 'settled') return { kind: 'done' };
  try {
    return guarded(planUnsettled(task, mark, means));
  } catch (error) {
    return stumbled(error);
  }
}

/** What is decided later must not stumble either. */
function guarded(plan: RowPlan): RowPlan {
  if (plan.kind !== 'consult') return plan;
  return {
    ...plan,
    decide(answers) {
      try {
        return plan.decide(answers);
      } catch (error) {
        return stumbled(error);
      }
    },
  };
}

function stumbled(error: unknown): Extract<RowPlan, { kind: 'settle' }> {
  const name = error instanceof Error ? error.name : 'unknown';
  const message = `this row could not be made into a request: a defect of the program (${name})`;
  return { kind: 'settle', end: { outcome: 'invalid', code: 'internal', message } };
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
  means: Means & { map(): Mapped },
): RowPlan {
  const step = callFor(task, means.definition);
  if (step.kind === 'settle') return step;
  if (!REPEATABLE[step.call] && means.definition.onUnknownOutcome === 'hold') {
    if (mark !== undefined) return { kind: 'settle', end: WORKER_LOST };
    if (task.suspect) return { kind: 'settle', end: JOURNAL_LOST };
  }
  const mapped = means.map();
  if (mapped.kind === 'issues') return { kind: 'settle', end: invalidEnd(mapped.issues) };
  const outgoing = { task, step, mapped, expected: mark?.text ?? '', tracked: trackedFields(task, means) };
  const fieldsOf = step.knownId === null ? null : outgoing.tracked;
  if (mapped.references.length === 0 && fieldsOf === null)
    return sendPlan(outgoing, { body: mapped.body, known: '' }, means);
  return {
    kind: 'consult',
    questions: { references: mapped.references, fieldsOf },
    decide: (answers) => planInformed(outgoing, answers, means),
  };
}

/** A row that can become a request, but for what the ledger has to say. */
type Outgoing = {
  readonly task: RowTask;
  readonly step: Extract<Step, { kind: 'call' }>;
  readonly mapped: Extract<Mapped, { kind: 'mapped' }>;
  readonly expected: string;
  /** The record whose fields are followed from one accepted request to the next; `null`: they aren't. */
  readonly tracked: KeyPlace | null;
};

function planInformed(
  outgoing: Outgoing,
  answers: Answers,
  means: Means,
): RowPlan | { readonly kind: 'wait' } {
  const { task, mapped, step, tracked } = outgoing;
  const { fields } = answers;
  const resolved = resolveReferences(task, mapped.references, answers);
  if (resolved.kind === 'wait') return resolved;
  if (resolved.kind === 'issues') return { kind: 'settle', end: invalidEnd(resolved.issues) };
  const whole = withReferences(mapped.body, resolved.ids);
  if (step.knownId === null || tracked === null || !areFieldsKnown(fields))
    return sendPlan(outgoing, { body: whole, known: fields }, means);
  const body = changedFields(whole, tracked.key, fields);
  if (body !== null) return sendPlan(outgoing, { body, known: fields }, means);
  return {
    kind: 'settle',
    end: { outcome: 'skipped', id: step.knownId, code: 'unchanged', message: UNCHANGED },
  };
}

const UNCHANGED = 'no field has changed since the service last accepted the record';

function sendPlan(
  { step, mapped, expected, tracked }: Outgoing,
  { body, known }: { readonly body: JsonObject; readonly known: string },
  { service }: Means,
): RowPlan {
  const request = service.build(step.call, { pathId: step.knownId ?? mapped.pathId, body });
  return {
    kind: 'send',
    request,
    expected,
    ...(mapped.warnings.length > 0 && { warnings: mapped.warnings }),
    ...(tracked !== null && {
      fields: { ...tracked, before: known, after: fieldsAfter(body, tracked.key, known) },
    }),
  };
}

function fieldsAfter(body: JsonObject, key: string, known: string): string {
  return packFieldDigests(body, key, areFieldsKnown(known) ? known : '');
}

function trackedFields({ run, identityKey: key }: RowTask, { definition }: Means): KeyPlace | null {
  const space = IDENTITY[run.operation];
  const mayUpdate = run.operation === 'subclient.upsert' || definition.onKnownKey === 'update';
  const follows = mayUpdate && definition.updateWith === 'changed' && definition.key !== undefined;
  return follows && space !== null && key !== null ? { space, key } : null;
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
      return callForKnown(claim, run.operation, definition);
    case 'duplicate':
      return unsendable('duplicate_key', duplicateMessage(claim.row, definition));
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

/** The end of a row with these issues; never empty. */
export function invalidEnd(issues: readonly Issue[]): RowEnd {
  return {
    outcome: 'invalid',
    code: issues[0]?.code ?? 'unreadable_row',
    message: issues.map(describeIssue).join('; '),
  };
}
