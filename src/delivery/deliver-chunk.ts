/**
 * Brings a chunk's rows to their outcomes. It closes only when every row has its outcome, and never
 * while one of its requests is on the wire.
 */

import { identityOf } from '../ledger/keys.ts';
import type { Taken } from '../ledger/open-chunk.ts';
import { identityKeyOf } from '../model/identity.ts';
import { groupRows, type RowGroup } from '../model/row-group.ts';
import { type Chunking, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd } from '../queue/chunk-worker.ts';
import { decide, decideCancelled, type Plan, type Planned, type UndecidedRows } from './decide.ts';
import type { Answers, Questions } from './references.ts';
import { createRowOrder, type RowOrder } from './row-order.ts';
import type { RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { send, settle } from './sender.ts';
import { type ChunkTake, createSending, type Ended } from './sending.ts';
import { rowsEnding } from './settle-rows.ts';
import { waitWhileRunning } from './still-runs.ts';

export async function deliverChunk(job: ChunkJob, take: Omit<ChunkTake, 'order'>): Promise<ChunkEnd> {
  const { context } = take;
  const taken = await context.ledger.take(
    job.chunk,
    job.rows.map(({ row }) => row.row),
  );
  if (taken.closed) return 'closed';
  if (taken.state !== 'running' && taken.state !== 'cancelled') return 'put-aside';
  if (taken.state === 'running' && !context.isOpen()) return 'put-aside';
  if (!isWhole(job, context.run)) {
    context.onTrouble(
      'a chunk with other rows than the run has there was dropped',
      new Error(`chunk ${job.chunk}`),
    );
    return 'closed';
  }
  const order = orderOf(job, taken, take);
  if ((await executeAll(planChunk(job, taken, context), { ...take, order })) === 'unsent') return 'put-back';
  return (await context.ledger.close(job.chunk, job.rows.length)) ? 'closed' : 'put-back';
}

/**
 * Whether the chunk has the rows that the run has there. A file that shrank while it was read gives
 * a short chunk: closing it would lose the missing rows.
 */
export function isWhole(
  { chunk, rows }: Pick<ChunkJob, 'chunk' | 'rows'>,
  run: Chunking & Pick<Run, 'parent'>,
): boolean {
  if (rows.length !== rowsOfChunk(run, chunk)) return false;
  const before = rowsBefore(run, chunk);
  // A rerun's rows keep their numbers in the file: only their order is known.
  if (run.parent !== null) return rows.every(({ row }, i) => row.row > (rows[i - 1]?.row.row ?? 0));
  return rows.every(({ row }, i) => row.row === before + i + 1);
}

/** `null`: rows are sent by a rate or in groups, or the epoch of their claims is unknown. */
function orderOf(
  { chunk, rows, claimed }: ChunkJob,
  taken: Taken,
  { context, taker }: Omit<ChunkTake, 'order'>,
): RowOrder | null {
  const { send, group } = context.definition;
  if (send.rate !== undefined || group !== undefined || claimed === undefined) return null;
  return createRowOrder({ chunk, taker, taken, claimed, rows: rows.map(({ row }) => row.row) });
}

type Numbered = { readonly row: number; readonly task: RowTask };

const NO_MATES: readonly never[] = [];

function planChunk(job: ChunkJob, taken: Taken, context: RunContext): Planned[] {
  const planOf = (rows: UndecidedRows) =>
    taken.state === 'cancelled' ? decideCancelled(rows, taken.marks) : decide(rows, taken.marks, context);
  const tasks = job.rows.map((entry) => taskOf(entry, job, { taken, context }));
  // Most jobs.
  if (context.definition.group === undefined)
    return tasks.map((lead) => ({
      lead,
      mates: NO_MATES,
      plan: planOf({ lead, mates: NO_MATES, keyless: null }).plan,
    }));
  const rows = tasks.map((task) => ({ row: task.row.row, task }));
  const groups = isMadeUp(job)
    ? groupsAtMarks(rows, taken.marks)
    : groupRows(rows, ({ task }) => context.mapping.groupOf(task.row));
  return groups.map((group) => {
    const lead = group.lead.task;
    // The first row claims the key and gives it back.
    const mates = group.mates.map(({ task }) => ({ ...task, identityKey: null }));
    return { lead, mates, ...planOf({ lead, mates, keyless: group.keyless }) };
  });
}

/** The run was cancelled and its file is gone: only the number of its rows is known. */
function isMadeUp({ rows }: ChunkJob): boolean {
  return rows.every(({ row }) => row.line === 0);
}

/**
 * Groups of rows whose keys are lost. A row that may have been sent could have taken the unmarked
 * rows after it along, so they share its fate.
 */
function groupsAtMarks(rows: readonly Numbered[], marks: Taken['marks']): RowGroup<Numbered>[] {
  const groups: { readonly lead: Numbered; readonly mates: Numbered[]; readonly keyless: null }[] = [];
  let isOpen = false;
  for (const row of rows) {
    const mark = marks.get(row.row);
    const group = mark === undefined && isOpen ? groups.at(-1) : undefined;
    if (group !== undefined) group.mates.push(row);
    else {
      groups.push({ lead: row, mates: [], keyless: null });
      isOpen = mark?.kind === 'intent';
    }
  }
  return groups;
}

function taskOf(
  { row, claim }: ChunkJob['rows'][number],
  { chunk }: ChunkJob,
  { taken, context }: { readonly taken: Taken; readonly context: RunContext },
): RowTask {
  const { run, mapping } = context;
  const mark = taken.marks.get(row.row);
  const key = mapping.keyOf(row);
  const identityKey = mapping.hasKey ? key : identityKeyOf(run, mapping, row);
  return {
    run,
    chunk,
    row,
    key: key ?? '',
    identityKey,
    place: identityKey === null ? undefined : identityOf(identityKey, mapping.keyForm),
    claim,
    foundMark: mark?.kind === 'intent' ? mark.text : '',
    suspect: taken.suspect,
  };
}

/** Between two look-ups of a referenced row. */
const ASK_AGAIN_MS = 200;
/** Then the chunk goes back: workers whose chunks all wait could not take the awaited one. */
const ASK_MAX_MS = 5_000;

/** Resolves when each row has come to its end: none may be on the wire when its chunk fails. */
async function executeAll(planned: readonly Planned[], take: ChunkTake): Promise<Ended> {
  const ends = await Promise.allSettled(planned.map((one) => execute(one, take)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return ends.some((end) => end.status === 'fulfilled' && end.value === 'unsent') ? 'unsent' : 'settled';
}

function execute(planned: Planned, take: ChunkTake): Ended | Promise<Ended> {
  const { plan } = planned;
  switch (plan.kind) {
    case 'done':
      return 'settled';
    case 'end':
      return new Promise((ended, failed) =>
        settle(rowsEnding(planned, plan.end), { ended, failed }, take.context),
      );
    case 'send':
      return new Promise((ended, failed) => send(createSending(planned, plan, { take, ended, failed })));
    case 'ask':
      return consult(planned, plan, take);
    default:
      return plan satisfies never;
  }
}

async function consult(
  planned: Planned,
  { questions, decide }: Extract<Plan, { kind: 'ask' }>,
  take: ChunkTake,
): Promise<Ended> {
  const { context, lease } = take;
  const began = context.now();
  for (;;) {
    const plan = decide(await ask(questions, context));
    // The chunk's order may have passed the row.
    if (plan.kind !== 'wait') return execute({ ...planned, plan }, { ...take, order: null });
    if (context.now() - began >= ASK_MAX_MS || !lease.isHeld()) return 'unsent';
    if (!(await waitWhileRunning(ASK_AGAIN_MS, context))) return 'unsent';
  }
}

async function ask({ references, fieldsOf }: Questions, { ledger }: RunContext): Promise<Answers> {
  const [states, fields] = await Promise.all([
    Promise.all(references.map(ledger.readKey)),
    fieldsOf === null ? '' : ledger.readFields(fieldsOf),
  ]);
  return { states, fields };
}
