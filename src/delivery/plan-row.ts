import type { Mark } from '../ledger/mark.ts';
import type { Mapped } from '../model/mapping.ts';
import { REPEATABLE } from '../model/operation.ts';
import { callFor, callOfClaimed } from './call-for-row.ts';
import { invalidEnd, planInformed, sendPlan, trackedFields } from './plan-request.ts';
import type { Means, RowPlan } from './row-plan.ts';
import type { RowEnd, RowTask } from './row-task.ts';

/**
 * Decides a row's next step from its mark, its key's claim and its mapping (DESIGN.md, section 5).
 * A row that the program itself stumbles over is invalid: it must not keep its chunk from ending.
 */
export function planRow(task: RowTask, mark: Mark | undefined, means: Means): RowPlan {
  return planRequest(task, mark, { means, map: () => means.mapping.map(task.row) });
}

/** With the mapping of the row, or of all that goes into its request. */
type How = { readonly means: Means; map(): Mapped };

/** The same where more than the task's own row may go into its request. */
export function planRequest(task: RowTask, mark: Mark | undefined, how: How): RowPlan {
  if (mark?.kind === 'settled') return { kind: 'done' };
  try {
    return guarded(planUnsettled(task, mark, how));
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
  { means, map }: How,
): RowPlan {
  const step = callFor(task, means.definition);
  if (step.kind === 'settle') return step;
  if (!REPEATABLE[step.call] && means.definition.onUnknownOutcome === 'hold') {
    if (mark !== undefined) return { kind: 'settle', end: WORKER_LOST };
    if (task.suspect) return { kind: 'settle', end: JOURNAL_LOST };
  }
  const mapped = map();
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
