import type { Taken } from '../ledger/read-chunk.ts';
import { identityKeyOf } from '../model/identity.ts';
import { groupRows, type RowGroup } from '../model/row-group.ts';
import { type Chunking, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd } from '../queue/chunk-worker.ts';
import { carryOutAll, type Hands } from './carry-out.ts';
import { decide, decideCancelled, type Planned, type UndecidedRows } from './decide.ts';
import type { RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';

/** Takes a chunk's rows from where they are to their outcomes. `taker` is unique per take. */
export async function deliverChunk(job: ChunkJob, hands: Hands): Promise<ChunkEnd> {
  const { context } = hands;
  const taken = await context.ledger.take(job.chunk);
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
  const planned = planChunk(job, taken, context);
  if ((await carryOutAll(planned, hands)) === 'unsent') return 'put-back';
  return (await context.ledger.close(job.chunk, job.rows.length)) ? 'closed' : 'put-back';
}

/**
 * Whether a chunk has the rows that the run has there. A file that shrank while it was read gives a short one:
 * closing it would lose the rows that are missing.
 */
export function isWhole(
  { chunk, rows }: Pick<ChunkJob, 'chunk' | 'rows'>,
  run: Chunking & Pick<Run, 'parent'>,
): boolean {
  if (rows.length !== rowsOfChunk(run, chunk)) return false;
  const before = rowsBefore(run, chunk);
  // The rows of a rerun keep the numbers that they have in the file: only their order is known.
  if (run.parent !== null) return rows.every(({ row }, i) => row.row > (rows[i - 1]?.row.row ?? 0));
  return rows.every(({ row }, i) => row.row === before + i + 1);
}

/** A row in hand, by its number. */
type Numbered = { readonly row: number; readonly task: RowTask };

function planChunk(job: ChunkJob, taken: Taken, context: RunContext): Planned[] {
  const planOf = (rows: UndecidedRows) =>
    taken.state === 'cancelled' ? decideCancelled(rows, taken.marks) : decide(rows, taken.marks, context);
  const tasks = job.rows.map((entry) => taskOf(entry, job, { taken, context }));
  // Most jobs: a row is a request.
  if (context.definition.group === undefined)
    return tasks.map((lead) => ({ lead, mates: [], plan: planOf({ lead, mates: [], keyless: null }).plan }));
  const rows = tasks.map((task) => ({ row: task.row.row, task }));
  const groups = isMadeUp(job)
    ? groupsAtMarks(rows, taken.marks)
    : groupRows(rows, ({ task }) => (task.key === '' ? null : task.key));
  return groups.map((group) => {
    const lead = group.lead.task;
    // The key is the first row's to claim and to give back.
    const mates = group.mates.map(({ task }) => ({ ...task, identityKey: null }));
    return { lead, mates, ...planOf({ lead, mates, keyless: group.keyless }) };
  });
}

/** The run's file is gone and it was cancelled: nothing is left of its rows but that they were there. */
function isMadeUp({ rows }: ChunkJob): boolean {
  return rows.every(({ row }) => row.line === 0);
}

/**
 * The groups of rows whose keys are lost: one that may have been sent could have taken the unmarked rows after it along,
 * so they share its fate.
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
  return {
    run,
    chunk,
    row,
    key: mapping.keyOf(row) ?? '',
    identityKey: identityKeyOf(run, mapping, row),
    claim,
    foundMark: mark?.kind === 'intent' ? mark.text : '',
    suspect: taken.suspect,
  };
}
