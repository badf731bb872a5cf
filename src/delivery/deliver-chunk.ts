import type { Taken } from '../ledger/read-chunk.ts';
import { type Chunking, type Run, rowsBefore, rowsOfChunk } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd } from '../queue/chunk-worker.ts';
import { carryOutAll } from './carry-out.ts';
import { planCancelledGroup, planGroup } from './plan-group.ts';
import { planCancelled, planRow } from './plan-row.ts';
import type { Hands, Planned } from './planned.ts';
import { groupsAtMarks, rowGroups } from './row-groups.ts';
import type { RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { identityKeyOf } from './run-mapping.ts';

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

type JobRow = ChunkJob['rows'][number];

function planChunk(job: ChunkJob, taken: Taken, context: RunContext): Planned[] {
  const { group } = context.definition;
  if (group !== undefined) return planGroups(job, taken, { context, list: group });
  return job.rows.map((entry) => {
    const task = taskOf(entry, job, { taken, context });
    const mark = taken.marks.get(entry.row.row);
    const plan = taken.state === 'cancelled' ? planCancelled(task, mark) : planRow(task, mark, context);
    return { lead: task, mates: [], plan };
  });
}

function planGroups(
  job: ChunkJob,
  taken: Taken,
  { context, list }: { readonly context: RunContext; readonly list: string },
): Planned[] {
  const groups = isMadeUp(job)
    ? groupsAtMarks(job.rows, ({ row }) => taken.marks.get(row)?.kind)
    : rowGroups(job.rows, context.mapping.keyOf);
  return groups.map(({ lead, mates, keyless }) => {
    const group = {
      keyless,
      lead: taskOf(lead, job, { taken, context }),
      // The key is the first row's to claim and to give back.
      mates: mates.map((mate) => ({ ...taskOf(mate, job, { taken, context }), identityKey: null })),
    };
    const { marks, state } = taken;
    const planned =
      state === 'cancelled'
        ? planCancelledGroup(group, marks)
        : planGroup(group, marks, { ...context, list });
    return { ...group, ...planned };
  });
}

/** The run's file is gone and it was cancelled: nothing is left of its rows but that they were there. */
function isMadeUp({ rows }: ChunkJob): boolean {
  return rows.every(({ row }) => row.line === 0);
}

function taskOf(
  { row, claim }: JobRow,
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
