import pRetry from 'p-retry';
import {
  areFieldsKnown,
  type FieldsChange,
  fieldsUnderWay,
  type SettledRow,
} from '../ledger/settle-entry.ts';
import type { Issue } from '../model/issue.ts';
import { REPEATABLE } from '../model/operation.ts';
import { type Outcome, wasAccepted } from '../model/outcome.ts';
import type { ChunkLease } from '../queue/chunk-worker.ts';
import type { Answers, Questions } from './consultation.ts';
import type { RowPlan } from './plan-row.ts';
import { type RowEnd, type RowTask, settledRow } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { sendRow } from './send-row.ts';
import { waitWhileRunning } from './still-runs.ts';
import type { Sending } from './try-row.ts';

/** A request's rows with what is to be done about them: as a rule one row, else a group. */
export type Planned = {
  readonly lead: RowTask;
  /** The other rows of the group, which end as the first one does. */
  readonly mates: readonly RowTask[];
  readonly plan: RowPlan;
  /** The end of a row where it is not the plan's. */
  readonly ends?: ReadonlyMap<number, RowEnd>;
  readonly warnings?: ReadonlyMap<number, readonly Issue[]>;
};

export type Hands = { readonly context: RunContext; readonly taker: string; readonly lease: ChunkLease };

/** About ten minutes: a Redis that refuses to record (out of memory) for longer fails the BullMQ job, which is tried again. */
const RECORD_ATTEMPTS = 120;
const RECORD_PAUSE_MAX_MS = 5_000;

/** A referenced row is asked for so often. */
const ASK_AGAIN_MS = 200;
/** The chunk is put back then: a worker whose chunks all wait could not take the one that they wait for. */
const ASK_MAX_MS = 5_000;

/** Takes a request's rows to their outcomes; `unsent`: they are as before. */
export async function carryOut(planned: Planned, hands: Hands): Promise<'settled' | 'unsent'> {
  const { plan } = planned;
  switch (plan.kind) {
    case 'done':
      return 'settled';
    case 'settle':
      await recordAll(settledRows(planned, plan.end), hands.context);
      return 'settled';
    case 'send':
      return send(planned, plan, hands);
    case 'consult':
      return consult(planned, plan, hands);
    default:
      return plan satisfies never;
  }
}

async function send(
  planned: Planned,
  plan: Extract<RowPlan, { kind: 'send' }>,
  hands: Hands,
): Promise<'settled' | 'unsent'> {
  const sent = await sendRow(sendingOf(planned.lead, plan, hands), hands.context);
  if (sent.kind === 'unsent') return 'unsent';
  const fields = fieldsAfter(plan, sent.end, hands.taker);
  const end = {
    ...sent.end,
    ...(plan.warnings !== undefined && { warnings: plan.warnings }),
    ...(fields !== null && { fields }),
  };
  return settle(settledRows(planned, end, sent.mark), hands.context);
}

async function consult(
  planned: Planned,
  { questions, decide }: Extract<RowPlan, { kind: 'consult' }>,
  hands: Hands,
): Promise<'settled' | 'unsent'> {
  const { context, lease } = hands;
  const began = context.now();
  for (;;) {
    const waitedMs = context.now() - began;
    const plan = decide({ ...(await ask(questions, context)), waitedMs });
    if (plan.kind !== 'wait') return carryOut({ ...planned, plan }, hands);
    if (waitedMs >= ASK_MAX_MS || !lease.isHeld()) return 'unsent';
    if (!(await waitWhileRunning(ASK_AGAIN_MS, context))) return 'unsent';
  }
}

async function ask(
  { references, fieldsOf }: Questions,
  { ledger }: RunContext,
): Promise<Omit<Answers, 'waitedMs'>> {
  const [states, fields] = await Promise.all([
    Promise.all(references.map(ledger.readKey)),
    fieldsOf === null ? '' : ledger.readFields(fieldsOf),
  ]);
  return { states, fields };
}

/** The first row's end with its own mark and key; the others' with that mark, so that all are recorded or none. */
function settledRows({ lead, mates, ends, warnings }: Planned, end: RowEnd, mark?: string): SettledRow[] {
  return [lead, ...mates].map((task) => {
    const { row } = task.row;
    const own = ends?.get(row) ?? end;
    const seen = warnings?.get(row);
    const whole = seen === undefined || mark === undefined ? own : { ...own, warnings: seen };
    const kept = settledRow(task, task === lead ? whole : withoutFields(whole), mark ?? lead.foundMark);
    return task === lead ? kept : { ...kept, lead: lead.row.row };
  });
}

/** The record's fields are recorded once. */
function withoutFields({ fields, ...end }: RowEnd): RowEnd {
  return end;
}

const LEFT_AS_IT_WAS: ReadonlySet<Outcome> = new Set(['rejected', 'denied', 'invalid']);

/** What is known of the record's fields after a request that ended so; `null`: nothing, as since its intent. */
function fieldsAfter(
  { fields }: Extract<RowPlan, { kind: 'send' }>,
  { outcome, attempts = 0 }: RowEnd,
  taker: string,
): FieldsChange | null {
  if (fields === undefined) return null;
  const { space, key, before, after } = fields;
  const change = { space, key, before: fieldsUnderWay(taker) };
  if (wasAccepted(outcome)) return { ...change, after };
  // An earlier attempt may have been carried out before one was refused.
  const isUntouched = LEFT_AS_IT_WAS.has(outcome) && attempts === 1;
  return isUntouched ? { ...change, after: areFieldsKnown(before) ? before : '' } : null;
}

function sendingOf(
  task: RowTask,
  plan: Extract<RowPlan, { kind: 'send' }>,
  { taker, lease }: Hands,
): Sending {
  return {
    task,
    request: plan.request,
    taker,
    isHeld: () => lease.isHeld(),
    expected: plan.expected,
    fields: plan.fields ?? null,
    made: 0,
    throttled: 0,
    refreshed: false,
    // A create taken over from a dead worker may have been carried out by it: a refusal now proves nothing.
    everUnknown: (plan.expected !== '' || task.suspect) && !REPEATABLE[plan.request.call],
  };
}

async function settle(rows: readonly SettledRow[], context: RunContext): Promise<'settled' | 'unsent'> {
  const outcome = rows[0]?.settlement.outcome;
  if (outcome !== 'denied') {
    if (outcome !== 'in-doubt') context.denials.broken();
    await recordAll(rows, context);
    return 'settled';
  }
  const denied = context.denials.denied(rows);
  await recordAll(rows, context);
  if (denied.kind === 'row') return 'settled';
  await context.ledger.unsettle([...denied.earlier, ...rows], 'permission');
  return 'unsent';
}

/** An outcome is recorded before anything else happens to its row; the ledger keeps the first definite one. */
async function recordAll(rows: readonly SettledRow[], context: RunContext): Promise<void> {
  await Promise.all(rows.map((row) => record(row, context)));
}

async function record(row: SettledRow, context: RunContext): Promise<void> {
  try {
    await context.ledger.settle(row);
  } catch (error) {
    await recordLater(row, context, error);
  }
}

async function recordLater(row: SettledRow, context: RunContext, first: unknown): Promise<void> {
  const tell = (error: unknown) =>
    context.onTrouble(
      'an outcome could not be recorded yet',
      error instanceof Error ? error : new Error(String(error)),
    );
  tell(first);
  await pRetry(() => context.ledger.settle(row), {
    retries: RECORD_ATTEMPTS,
    maxTimeout: RECORD_PAUSE_MAX_MS,
    minTimeout: 250,
    // Spread, so that a row that Redis refuses does not take the same others with it again and again.
    randomize: true,
    onFailedAttempt: ({ error }) => tell(error),
  });
}
