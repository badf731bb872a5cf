/**
 * Brings a chunk's rows to their outcomes. It closes only when every row has its outcome, and never
 * while one of its requests is on the wire.
 */

import type { Taken } from '../engine/ledger/open-chunk.ts';
import type { ChunkJob } from '../engine/queue/chunk-job.ts';
import type { ChunkEnd } from '../engine/queue/chunk-worker.ts';
import { identityWithoutKey } from '../model/identity.ts';
import type { Row } from '../model/row.ts';
import { groupRows, type RowGroup } from '../model/row-group.ts';
import { type Chunking, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import { decide, decideCancelled, type Plan } from './decide.ts';
import type { Answers, Questions } from './references.ts';
import { createRowOrder, type RowOrder } from './row-order.ts';
import { ownKey, type RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { send, settle } from './sender.ts';
import { type ChunkTake, createSending, type Ended } from './sending.ts';
import { waitWhileRunning } from './still-runs.ts';

type UntoldTake = Omit<ChunkTake, 'ended' | 'failed'>;

export async function deliverChunk(job: ChunkJob, take: Omit<UntoldTake, 'order'>): Promise<ChunkEnd> {
  const { context } = take;
  const numbers = job.rows.map(({ row }) => row.row);
  const taken = await context.ledger.take(job.chunk, numbers);
  if (taken.closed) return 'closed';
  if (taken.state !== 'running' && taken.state !== 'cancelled') return 'put-aside';
  if (taken.state === 'running' && !context.isOpen()) return 'put-aside';
  // Where Redis lost the chunk's lock with all else, a row that its owner is about to take back
  // would be in doubt for nothing.
  if (taken.isElsewhere) return 'put-back';
  if (!isWhole(job, context.run)) {
    context.onTrouble(DROPPED, new Error(`chunk ${job.chunk}`));
    return 'closed';
  }
  const all = tasksOf(job, taken, context);
  // Lost rows of a run that goes on: what may have been sent ends, the rest waits for the file.
  const isLost = isMadeUp(job) && taken.state === 'running';
  const tasks = isLost ? all.filter(({ row }) => taken.marks.has(row.row)) : all;
  const order = orderOf(job, taken, take);
  const asked = isLost ? ({ ...taken, state: 'cancelled' } as const) : taken;
  const ended = await executeAll(tasks, asked, { ...take, order });
  if (ended === 'unsent') return 'put-back';
  const isClosed = await context.ledger.close(job.chunk, job.rows.length);
  return isClosed ? 'closed' : 'put-back';
}

const DROPPED = 'a chunk with other rows than the run has there was dropped';

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
  const numbers = rows.map(({ row }) => row.row);
  // A rerun's rows keep their numbers in the file: only their order is known.
  if (run.parent !== null) return numbers.every((row, i) => row > (numbers[i - 1] ?? 0));
  return numbers.every((row, i) => row === before + i + 1);
}

/**
 * `null`: rows are sent by a rate, in groups or with an idempotency header, or
 * by which verification they were claimed is unknown.
 */
function orderOf(
  { chunk, rows, claimed }: ChunkJob,
  taken: Taken,
  { context, fencingToken }: Omit<UntoldTake, 'order'>,
): RowOrder | null {
  const { send, group } = context.definition;
  if (send.rate !== undefined || group !== undefined) return null;
  if (context.idempotency !== null || claimed === undefined) return null;
  const numbers = rows.map(({ row }) => row.row);
  return createRowOrder({ chunk, fencingToken, taken, claimed, rows: numbers });
}

const NO_MEMBERS: readonly never[] = [];

/** The chunk's rows, each with those that go in its request. */
function tasksOf(job: ChunkJob, taken: Taken, context: RunContext): RowTask[] {
  const { run, definition, mapping } = context;
  const { chunk } = job;
  const placeOf = (key: string) => context.ledger.placeOf(key, mapping.keyForm);
  const tasks = job.rows.map(({ row, claim, rowContent, accounts }): RowTask => {
    const mark = taken.marks.get(row.row);
    const key = mapping.keyOf(row);
    const identityKey = mapping.hasKey ? key : identityWithoutKey(run, row.row, rowContent);
    return {
      run,
      rowContent,
      keyDigest: rowContent && placeOf(identityKey ?? '').digest,
      chunk,
      row,
      key: key ?? '',
      identityKey,
      identity: ownKey({ run, identityKey, claim, accounts }, placeOf),
      claim,
      accounts,
      foundMark: mark?.kind === 'intent' ? mark.text : '',
      possiblySent: taken.possiblySent,
      members: NO_MEMBERS,
      keyless: null,
    };
  });
  // Most jobs.
  if (definition.group === undefined) return tasks;
  const rows = job.rows.map(({ row }) => row);
  const { groupOf } = mapping;
  const groups = isMadeUp(job) ? groupsAtMarks(rows, taken.marks) : groupRows(rows, groupOf);
  return inGroups(tasks, groups, chunk);
}

function inGroups(tasks: readonly RowTask[], groups: readonly RowGroup<Row>[], chunk: number): RowTask[] {
  const byRow = new Map(tasks.map((task) => [task.row.row, task]));
  const taskOf = ({ row }: Row) => {
    const task = byRow.get(row);
    if (task === undefined) throw new Error(`row ${row} is not in chunk ${chunk}`);
    return task;
  };
  // The first row claims the key and gives it back.
  const memberOf = (row: Row) => ({ ...taskOf(row), identity: null, accounts: undefined });
  return groups.map(({ leader, members, keyless }) => {
    const task = taskOf(leader);
    return { ...task, members: members.map(memberOf), keyless };
  });
}

/** The file is gone: only the number of its rows is known. */
function isMadeUp({ rows }: ChunkJob): boolean {
  return rows.every(({ row }) => row.line === 0);
}

/**
 * Groups of rows whose keys are lost. A row that may have been sent could have taken the unmarked
 * rows after it along, so they share its fate.
 */
function groupsAtMarks(rows: readonly Row[], marks: Taken['marks']): RowGroup<Row>[] {
  const groups: (RowGroup<Row> & { readonly members: Row[] })[] = [];
  let isOpen = false;
  for (const row of rows) {
    const mark = marks.get(row.row);
    const group = mark === undefined && isOpen ? groups.at(-1) : undefined;
    if (group !== undefined) group.members.push(row);
    else {
      groups.push({ leader: row, members: [], keyless: null });
      isOpen = mark?.kind === 'intent';
    }
  }
  return groups;
}

/** Between two look-ups of a referenced row. */
const ASK_AGAIN_MS = 200;
/** Then the chunk goes back: workers whose chunks all wait could not take the awaited one. */
const ASK_MAX_MS = 5_000;

/** Resolves when each row has come to its end: none may be on the wire when its chunk fails. */
function executeAll(tasks: readonly RowTask[], taken: Taken, take: UntoldTake): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // One more than its requests, until all are on their way.
    let open = tasks.length + 1;
    let whole: Ended = 'settled';
    let failure: { readonly error: unknown } | null = null;
    const ended = (how: Ended) => {
      open -= 1;
      if (how === 'unsent') whole = how;
      if (open > 0) return;
      if (failure === null) resolve(whole);
      else reject(failure.error);
    };
    const failed = (error: unknown) => {
      failure ??= { error };
      ended('settled');
    };
    const telling = { ...take, ended, failed };
    const { state, marks } = taken;
    const planOf = (task: RowTask) =>
      state === 'cancelled' ? decideCancelled(task, marks) : decideBound(task, marks, take.context);
    for (const task of tasks) {
      try {
        execute(task, planOf(task), telling);
      } catch (error) {
        failed(error);
      }
    }
    ended('settled');
  });
}

/** With an intent on the row it was about to go: what became of that is the question. */
function decideBound(task: RowTask, marks: Taken['marks'], context: RunContext): Plan {
  const { row } = task.row;
  const plan = decide(task, marks, context);
  const isBound = context.unsent?.has(row) === true && !marks.has(row);
  return isBound ? withoutSending(plan) : plan;
}

/** It became possible since somebody looked: nothing goes that was not looked at. */
function withoutSending(plan: Plan): Plan {
  if (plan.kind === 'send') return DIFFERS;
  if (plan.kind !== 'ask') return plan;
  const decide = (answers: Answers) => {
    const next = plan.decide(answers);
    return next.kind === 'wait' ? next : withoutSending(next);
  };
  return { ...plan, decide };
}

const DIFFERS: Plan = {
  kind: 'end',
  end: {
    outcome: 'invalid',
    code: 'plan_differs',
    message: 'nothing of this row was to be sent when the run was let go, and by now something would be',
  },
};

function execute(task: RowTask, plan: Plan, take: ChunkTake): void {
  switch (plan.kind) {
    case 'done':
      take.ended('settled');
      return;
    case 'end':
      settle(task, plan, take);
      return;
    case 'send':
      send(createSending(task, plan, take));
      return;
    case 'ask':
      consult(task, plan, take).catch(take.failed);
      return;
    default:
      plan satisfies never;
  }
}

async function consult(
  task: RowTask,
  { questions, decide }: Extract<Plan, { kind: 'ask' }>,
  take: ChunkTake,
): Promise<void> {
  const { context, lease } = take;
  const began = context.now();
  for (;;) {
    const plan = decide(await ask(questions, context));
    // The chunk's order may have passed the row.
    const now = plan.kind === 'wait' ? 'wait' : await whetherNow(plan, context);
    if (now === 'never') return take.ended('unsent');
    if (plan.kind !== 'wait' && now === 'go') return execute(task, plan, { ...take, order: null });
    const isLate = context.now() - began >= ASK_MAX_MS || !lease.isHeld();
    const goesOn = !isLate && (await waitWhileRunning(ASK_AGAIN_MS, context));
    if (!goesOn) return take.ended('unsent');
  }
}

/**
 * Of records that were adopted, the first few go before a person has seen what came of them: the
 * others wait until something has, and then the run does.
 */
async function whetherNow(plan: Plan, { ledger, pause, run }: RunContext): Promise<'go' | 'wait' | 'never'> {
  if (plan.kind !== 'send' || plan.firstUpdate === undefined) return 'go';
  const { madeBy } = plan.firstUpdate;
  const tried = await ledger.triedBefore(plan.firstUpdate);
  if (tried === null) return 'go';
  if (tried.some(({ outcome }) => outcome === 'pending')) return 'wait';
  const rows = tried.map((one) => {
    const of = one.run === run.id ? '' : ` of run ${one.run}`;
    return `${one.id} by row ${one.row}${of} (${one.outcome})`;
  });
  await ledger.showTried(
    madeBy,
    `The first records that run ${madeBy} adopted were sent: ${rows.join(', ')}.`,
  );
  await pause('adopted');
  return 'never';
}

async function ask({ references, fieldsOf }: Questions, { ledger }: RunContext): Promise<Answers> {
  const [states, fields] = await Promise.all([
    Promise.all(references.map(ledger.readKey)),
    fieldsOf === null ? '' : ledger.readFields(fieldsOf),
  ]);
  return { states, fields };
}
