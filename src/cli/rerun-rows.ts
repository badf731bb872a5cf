import type { Job } from '../config/job-definition.ts';
import { createRerunStore } from '../ledger/rerun-store.ts';
import { createRunInput } from '../ledger/run-input.ts';
import { createRunView } from '../ledger/run-view.ts';
import { type ChoiceCounts, unsuccessfulRows } from '../ledger/unsuccessful-rows.ts';
import type { LedgerView } from '../model/ledger-view.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';
import type { Ground } from './open-desk.ts';

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
export type Family = { readonly wanted: Wanted; readonly children: readonly Run[] };

/** Before anything was chosen. */
export function noCounts(): ChoiceCounts {
  return { chosen: 0, takenBefore: 0, withoutRecord: 0, inDoubt: 0 };
}

/** The rows that no earlier rerun has taken, in batches; counts them as it goes. */
export function rowsLeft(
  { wanted, children }: Family,
  { ledger }: Ground,
  counts: ChoiceCounts,
): AsyncIterable<readonly Row[]> {
  const { parent, outcomes } = wanted;
  const { keys } = ledger.of(parent.target);
  const viewOf = (run: Run): LedgerView => createRunView(ledger.redis, keys, run);
  return unsuccessfulRows(viewOf(parent), { outcomes, reruns: children.map(viewOf) }, counts);
}

/** Puts these rows into the ledger as the rows of a run to be registered by that id; answers their numbers too. */
export async function freezeRows(
  id: string,
  family: Family,
  ground: Ground,
): Promise<{ readonly counts: ChoiceCounts; readonly rows: readonly number[] }> {
  const { ledger } = ground;
  const counts = noCounts();
  const input = createRunInput(ledger.redis, ledger.of(family.wanted.parent.target).keys, id);
  const numbers: number[] = [];
  let chunk = 0;
  let rest: Row[] = [];
  for await (const rows of rowsLeft(family, ground, counts)) {
    rest.push(...rows);
    for (const { row } of rows) numbers.push(row);
    for (; rest.length >= CHUNK_ROWS; rest = rest.slice(CHUNK_ROWS)) {
      chunk += 1;
      await input.write(chunk, rest.slice(0, CHUNK_ROWS));
    }
  }
  if (rest.length > 0) await input.write(chunk + 1, rest);
  return { counts, rows: numbers };
}
