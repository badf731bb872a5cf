import type { Ground } from '../cli/open-desk.ts';
import type { Job } from '../config/job-definition.ts';
import { createCut } from '../intake/chunks.ts';
import { createRerunStore } from '../ledger/rerun-store.ts';
import { createRunInput } from '../ledger/run-input.ts';
import { createRunView } from '../ledger/run-view.ts';
import { type ChoiceCounts, unsuccessfulRows } from '../ledger/unsuccessful-rows.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import type { LedgerView } from '../model/settlement.ts';
import { mappingFor } from '../session.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';

/** Which rows are to be taken up, and how. */
export type Wanted = {
  /** A run that is over. */
  readonly parent: Run;
  readonly job: Job;
  readonly outcomes: ReadonlySet<Outcome>;
};

/** The reruns there are of a run, oldest first. */
export async function childrenOf(parent: Run, { ledger }: Ground): Promise<Run[]> {
  const { keys, store } = ledger.of(parent.target);
  const ids = await createRerunStore(ledger.redis, keys, parent.id).children();
  return (await Promise.all(ids.map((id) => store.get(id)))).filter((run) => run !== null);
}

/** What rows are chosen from: `children` have taken theirs. */
type Family = { readonly wanted: Wanted; readonly children: readonly Run[] };

/** Before anything was chosen. */
export function noCounts(): ChoiceCounts {
  return { chosen: 0, takenBefore: 0, withoutRecord: 0, inDoubt: 0 };
}

/** The rows that no earlier rerun has taken, in batches; counts them as it goes. */
export function rowsLeft(
  { wanted, children }: Family,
  { ledger }: Pick<Ground, 'ledger'>,
  counts: ChoiceCounts,
): AsyncIterable<readonly Row[]> {
  const { parent, outcomes } = wanted;
  const { keys } = ledger.of(parent.target);
  const viewOf = (run: Run): LedgerView => createRunView(ledger.redis, keys, run);
  return unsuccessfulRows(viewOf(parent), { outcomes, reruns: children.map(viewOf) }, counts);
}

type Frozen = {
  readonly counts: ChoiceCounts;
  /** The rows' numbers. */
  readonly rows: readonly number[];
  /** Where the job groups rows or has a canary: the number of rows up to the end of each chunk. */
  readonly chunkEnds: number[] | null;
};

/** Puts these rows into the ledger as the rows of a run to be registered by that id. */
export async function freezeRows(
  id: string,
  family: Family,
  { ledger }: Pick<Ground, 'ledger'>,
): Promise<Frozen> {
  const { parent, job } = family.wanted;
  const counts = noCounts();
  const input = createRunInput(ledger.redis, ledger.of(parent.target).keys, id);
  const isGrouped = job.definition.group !== undefined;
  const keyOf = isGrouped ? mappingFor(job.definition, parent.source).keyOf : null;
  const firstRows = job.definition.send.canary;
  const endsBefore = createCut({ chunkRows: CHUNK_ROWS, firstRows, keyOf });
  const numbers: number[] = [];
  const ends: number[] = [];
  let chunk: Row[] = [];
  const write = async () => {
    if (chunk.length === 0) return;
    ends.push(numbers.length);
    await input.write(ends.length, chunk);
    chunk = [];
  };
  for await (const rows of rowsLeft(family, { ledger }, counts)) {
    for (const row of rows) {
      if (endsBefore(row, chunk.length)) await write();
      chunk.push(row);
      numbers.push(row.row);
    }
  }
  await write();
  return { counts, rows: numbers, chunkEnds: isGrouped || firstRows !== undefined ? ends : null };
}
