import { type Holder, isOneRecord, readStanding, type Standing } from '../ledger/resolve-standing.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Decision } from '../model/resolution.ts';
import type { LedgerView } from '../model/settlement.ts';

/** What somebody says of one row. */
export type Told = {
  /** Begins a message about it. */
  readonly where: string;
  readonly row: number;
  /** As it stands beside the decision; `null` where there is none to compare. */
  readonly key: string | null;
  /** `null` where the row is still open. */
  readonly decision: Decision | null;
};

/** A UsageError lists every row told of under another key than the run's, and every id that would be two rows'. */
export async function refuseMisplaced(
  view: Pick<LedgerView, 'settlements'>,
  told: readonly Told[],
): Promise<void> {
  const ids = told.flatMap((one) => idOf(one) ?? []);
  const keyed = told.flatMap(({ row, key }) => (key === null ? [] : [row]));
  if (ids.length === 0 && keyed.length === 0) return;
  const rows = new Set(told.map(({ row }) => row));
  const standing = await readStanding(view, { rows, ids: new Set(ids) });
  const given = new Map<string, Told>();
  const problems = told.flatMap((one) =>
    [keyProblem(one, standing), sharedProblem(one, given, standing), heldProblem(one, standing)].flatMap(
      (problem) => (problem === null ? [] : [`${one.where}: ${problem}`]),
    ),
  );
  if (problems.length > 0) throw new UsageError([...problems, 'Nothing was resolved.']);
}

function idOf({ decision }: Told): string | null {
  return decision?.kind === 'created' ? decision.id : null;
}

function keyProblem({ row, key }: Told, { keys }: Standing): string | null {
  if (key === null) return null;
  const known = keys.get(row);
  if (known === key) return null;
  if (known === undefined) return `row ${row} has no outcome, or the run has no such row`;
  return `row ${row} has the key ${JSON.stringify(key)} here, but ${JSON.stringify(known)} in the run: expected lines as the report has them; sort whole lines only`;
}

function sharedProblem(told: Told, given: Map<string, Told>, standing: Standing): string | null {
  const id = idOf(told);
  if (id === null) return null;
  const earlier = given.get(id);
  if (earlier === undefined) given.set(id, told);
  if (earlier === undefined || isOneRecord(holderOf(earlier, standing), holderOf(told, standing)))
    return null;
  return `the id ${id} is given to row ${told.row}, and to row ${earlier.row} before: expected an id of its own for each row`;
}

function heldProblem(told: Told, standing: Standing): string | null {
  const id = idOf(told);
  const holders = id === null ? [] : (standing.holders.get(id) ?? []);
  const other = holders.find((holder) => !isOneRecord(holder, holderOf(told, standing)));
  if (other === undefined) return null;
  return `the id ${id} can't be that of row ${told.row}: row ${other.row} of the run has it`;
}

function holderOf({ row }: Told, { keys }: Standing): Holder {
  return { row, key: keys.get(row) ?? '' };
}
