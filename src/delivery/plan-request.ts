import { areFieldsKnown, type KeyPlace } from '../ledger/settle-entry.ts';
import { changedFields, packFieldDigests } from '../mapping/field-digests.ts';
import { describeIssue, type Issue } from '../model/issue.ts';
import { withReferences } from '../model/json-record.ts';
import type { Mapped } from '../model/mapping.ts';
import { IDENTITY } from '../model/operation.ts';
import type { JsonObject } from '../model/request.ts';
import type { Step } from './call-for-row.ts';
import { type Answers, resolveReferences } from './consultation.ts';
import type { Means, RowPlan } from './row-plan.ts';
import type { RowEnd, RowTask } from './row-task.ts';

/** A row that can become a request, but for what the ledger has to say. */
export type Outgoing = {
  readonly task: RowTask;
  readonly step: Extract<Step, { kind: 'call' }>;
  readonly mapped: Extract<Mapped, { kind: 'mapped' }>;
  readonly expected: string;
  /** The record whose fields are followed from one accepted request to the next; `null`: they aren't. */
  readonly tracked: KeyPlace | null;
};

/** The plan once the ledger has answered. */
export function planInformed(
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

/** The plan to send a body; `known`: the digests of what the service has of its fields. */
export function sendPlan(
  { step, mapped, expected, tracked }: Outgoing,
  { body, known }: { readonly body: JsonObject; readonly known: string },
  { service }: Means,
): RowPlan {
  const request = service.build(step.call, { pathId: step.knownId ?? mapped.pathId, body });
  // Most rows: an object put together of parts costs more than the rest of the plan.
  if (mapped.warnings.length === 0 && tracked === null) return { kind: 'send', request, expected };
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

/** The record whose fields are followed, where the job updates records; `null`: none. */
export function trackedFields({ run, identityKey: key }: RowTask, { definition }: Means): KeyPlace | null {
  const space = IDENTITY[run.operation];
  const mayUpdate = run.operation === 'subclient.upsert' || definition.onKnownKey === 'update';
  const follows = mayUpdate && definition.updateWith === 'changed' && definition.key !== undefined;
  return follows && space !== null && key !== null ? { space, key } : null;
}

/** The end of a row with these issues; never empty. */
export function invalidEnd(issues: readonly Issue[]): RowEnd {
  return {
    outcome: 'invalid',
    code: issues[0]?.code ?? 'unreadable_row',
    message: issues.map(describeIssue).join('; '),
  };
}
