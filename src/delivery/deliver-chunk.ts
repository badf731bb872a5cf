import pRetry from 'p-retry';
import type { SettledRow, Taken } from '../ledger/chunk-ledger.ts';
import { REPEATABLE } from '../model/operation.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../queue/chunk-worker.ts';
import { identityKeyOf } from './identity.ts';
import { planRow, type RowPlan } from './plan-row.ts';
import { type RowEnd, type RowTask, settledRow } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { sendRow } from './send-row.ts';
import type { Sending } from './try-row.ts';

type Planned = { readonly task: RowTask; readonly plan: RowPlan };
type Hands = { readonly context: RunContext; readonly taker: string; readonly lease: ChunkLease };

/** About ten minutes: a Redis that refuses to record (out of memory) for longer fails the BullMQ job, which is tried again. */
const RECORD_ATTEMPTS = 120;
const RECORD_PAUSE_MAX_MS = 5_000;

/** Takes a chunk's rows from where they are to their outcomes. `taker` is unique per take. */
export async function deliverChunk(job: ChunkJob, hands: Hands): Promise<ChunkEnd> {
  const { context } = hands;
  const taken = await context.ledger.take(job.chunk);
  if (taken.closed) return 'closed';
  if (taken.state !== 'running') return 'put-back';
  const planned = planChunk(job, taken, context);
  const ended = await Promise.all(planned.map((p) => carryOut(p, hands)));
  if (ended.includes('unsent')) return 'put-back';
  return (await context.ledger.close(job.chunk, job.rows.length)) ? 'closed' : 'put-back';
}

function planChunk(job: ChunkJob, taken: Taken, context: RunContext): Planned[] {
  return job.rows.map(({ row, claim }) => {
    const { run, mapping } = context;
    const key = mapping.keyOf(row) ?? '';
    const task = { run, chunk: job.chunk, row, key, identityKey: identityKeyOf(run, mapping, row), claim };
    return { task, plan: planRow(task, taken.marks.get(row.row), context) };
  });
}

async function carryOut({ task, plan }: Planned, hands: Hands): Promise<'settled' | 'unsent'> {
  switch (plan.kind) {
    case 'done':
      return 'settled';
    case 'settle':
      return record(settledRow(task, plan.end), hands.context);
    case 'send': {
      const sent = await sendRow(sendingOf(task, plan, hands), hands.context);
      return sent.kind === 'unsent' ? 'unsent' : settle(task, sent.end, hands.context);
    }
    default:
      return plan satisfies never;
  }
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
    made: 0,
    throttled: 0,
    refreshed: false,
    // A create taken over from a dead worker may have been carried out by it: a refusal now proves nothing.
    everUnknown: plan.expected !== '' && !REPEATABLE[plan.request.call],
  };
}

async function settle(task: RowTask, end: RowEnd, context: RunContext): Promise<'settled' | 'unsent'> {
  const row = settledRow(task, end);
  if (end.outcome !== 'denied') {
    if (end.outcome !== 'in-doubt') context.denials.broken();
    return record(row, context);
  }
  const denied = context.denials.denied(row);
  await record(row, context);
  if (denied.kind === 'row') return 'settled';
  // Paused first, so that no worker takes these rows again before somebody has looked.
  await context.pause('permission');
  await context.ledger.unsettle([...denied.earlier, row]);
  return 'unsent';
}

/** An outcome is recorded before anything else happens to its row; the ledger keeps the first definite one. */
async function record(row: SettledRow, context: RunContext): Promise<'settled'> {
  try {
    await context.ledger.settle(row);
  } catch (error) {
    await recordLater(row, context, error);
  }
  return 'settled';
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
    onFailedAttempt: ({ error }) => tell(error),
  });
}
