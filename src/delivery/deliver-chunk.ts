import pRetry from 'p-retry';
import type { Taken } from '../ledger/chunk-ledger.ts';
import type { SettledRow } from '../ledger/settle-entry.ts';
import { REPEATABLE } from '../model/operation.ts';
import { type Run, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../queue/chunk-worker.ts';
import { identityKeyOf } from './identity.ts';
import { planCancelled, planRow, type RowPlan } from './plan-row.ts';
import { type RowTask, settledRow } from './row-task.ts';
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
  if (taken.state !== 'running' && taken.state !== 'cancelled') return 'put-aside';
  if (!isWhole(job, context.run)) {
    context.onTrouble(
      'a chunk with other rows than the run has there was dropped',
      new Error(`chunk ${job.chunk}`),
    );
    return 'closed';
  }
  const planned = planChunk(job, taken, context);
  // All rows come to their end before the chunk does: none may be on the wire when a failure ends it.
  const ended = await Promise.allSettled(planned.map((p) => carryOut(p, hands)));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  if (ended.some((end) => end.status === 'fulfilled' && end.value === 'unsent')) return 'put-back';
  return (await context.ledger.close(job.chunk, job.rows.length)) ? 'closed' : 'put-back';
}

/**
 * Whether a chunk has the rows that the run has there. A file that shrank while it was read gives a short one:
 * closing it would lose the rows that are missing.
 */
export function isWhole(
  { chunk, rows }: Pick<ChunkJob, 'chunk' | 'rows'>,
  run: Pick<Run, 'rows' | 'chunkRows' | 'parent'>,
): boolean {
  if (rows.length !== rowsOfChunk(run, chunk)) return false;
  const before = (chunk - 1) * run.chunkRows;
  // The rows of a rerun keep the numbers that they have in the file: only their order is known.
  if (run.parent !== null) return rows.every(({ row }, i) => row.row > (rows[i - 1]?.row.row ?? 0));
  return rows.every(({ row }, i) => row.row === before + i + 1);
}

function planChunk(job: ChunkJob, taken: Taken, context: RunContext): Planned[] {
  return job.rows.map(({ row, claim }) => {
    const { run, mapping } = context;
    const mark = taken.marks.get(row.row);
    const task = {
      run,
      chunk: job.chunk,
      row,
      key: mapping.keyOf(row) ?? '',
      identityKey: identityKeyOf(run, mapping, row),
      claim,
      foundMark: mark?.kind === 'intent' ? mark.text : '',
      suspect: taken.suspect,
    };
    const plan = taken.state === 'cancelled' ? planCancelled(task, mark) : planRow(task, mark, context);
    return { task, plan };
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
      return sent.kind === 'unsent' ? 'unsent' : settle(settledRow(task, sent.end, sent.mark), hands.context);
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
    everUnknown: (plan.expected !== '' || task.suspect) && !REPEATABLE[plan.request.call],
  };
}

async function settle(row: SettledRow, context: RunContext): Promise<'settled' | 'unsent'> {
  const { outcome } = row.settlement;
  if (outcome !== 'denied') {
    if (outcome !== 'in-doubt') context.denials.broken();
    return record(row, context);
  }
  const denied = context.denials.denied(row);
  await record(row, context);
  if (denied.kind === 'row') return 'settled';
  await context.ledger.unsettle([...denied.earlier, row], 'permission');
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
    // Spread, so that a row that Redis refuses does not take the same others with it again and again.
    randomize: true,
    onFailedAttempt: ({ error }) => tell(error),
  });
}
