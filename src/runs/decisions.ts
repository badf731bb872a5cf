/**
 * Checks decisions on rows in doubt against the run, before any is recorded; changes nothing. All
 * are refused where one can't be right: a row under another key, an id of two records, two ends
 * within one request. Reads the chunks of named rows, or the whole run once where an id is given:
 * any row may have it.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { type Holder, isOneRecord, type RowDecision } from '../engine/ledger/resolve.ts';
import { chunksAround, createRunView } from '../engine/ledger/run-view.ts';
import { UsageError } from '../lib/usage-error.ts';
import { identityOfKey, type KeyForm } from '../model/key-form.ts';
import { wasAccepted } from '../model/outcome.ts';
import { type Decision, describeDecision } from '../model/resolution.ts';
import { createGroupCutter, type RowGroup } from '../model/row-group.ts';
import type { Run } from '../model/run.ts';
import type { SettledChunk, Settlement } from '../model/settlement.ts';
import type { Ledger } from '../session.ts';
import { NOTHING_RESOLVED, type Told } from './resolve-file.ts';

/**
 * With decisions that follow for other rows. `definition`: the run's, where the ledger still has
 * it. A UsageError lists everything that can't be right.
 */
export async function checkDecisions(
  run: Run,
  told: readonly Told[],
  definition: JobDefinition | null,
  ledger: Pick<Ledger, 'redis' | 'of'>,
) {
  const held = await heldOf(run, told, definition?.group !== undefined, ledger);
  refuseImpossible(told, held, definition?.keyForm ?? 'exact');
  return withMembers(held.groups, decidedIn(told));
}

/** One for each row: the same decision twice is one. */
function decidedIn(told: readonly Told[]): readonly RowDecision[] {
  const decided = new Map<number, Decision>();
  for (const { row, decision } of told) if (decision !== null) decided.set(row, decision);
  return [...decided].map(([row, decision]) => ({ row, decision }));
}

/** Of rows and ids that somebody names; rows without an outcome are absent. */
type Held = {
  /** Keys by row number; `''`: the row has none. */
  readonly keys: ReadonlyMap<number, string>;
  readonly holders: ReadonlyMap<string, readonly Holder[]>;
  /** For jobs with groups: the groups of named rows. */
  readonly groups: ReadonlyArray<readonly Settlement[]>;
};

type Named = {
  readonly rows: ReadonlySet<number>;
  readonly ids: ReadonlySet<string>;
  readonly isGrouped: boolean;
};

async function heldOf(
  run: Run,
  told: readonly Told[],
  isGrouped: boolean,
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
): Promise<Held> {
  const rows = new Set(told.map(({ row }) => row));
  const ids = new Set(told.flatMap((one) => idOf(one) ?? []));
  const isNeeded = ids.size > 0 || isGrouped || told.some(({ key }) => key !== null);
  if (!isNeeded) return { keys: new Map(), holders: new Map(), groups: [] };
  const { keys } = of(run.target);
  const chunks =
    ids.size > 0 ? createRunView(redis, keys, run).chunks() : chunksAround(redis, keys, run, rows);
  return readHeld(chunks, { rows, ids, isGrouped });
}

/** Where one holder is the row that gets the id, the others are in its way. */
const HOLDERS_KEPT = 3;

/** The first few who have each of these ids: rows of one key are one record and count once. */
export function createHolders(ids: ReadonlySet<string>) {
  const found = new Map<string, Holder[]>();
  return {
    found,
    see({ row, key, id }: Settlement): void {
      if (!ids.has(id)) return;
      const known = found.get(id) ?? [];
      if (known.length === HOLDERS_KEPT || known.some((one) => isOneRecord(one, { row, key }))) return;
      found.set(id, [...known, { row, key }]);
    },
  };
}

/** Memory grows with what is named, not with the run. */
export async function readHeld(
  chunks: AsyncIterable<SettledChunk>,
  { rows, ids, isGrouped }: Named,
): Promise<Held> {
  const keys = new Map<number, string>();
  const holders = createHolders(ids);
  const groups: (readonly Settlement[])[] = [];
  const cutter = createGroupCutter<Settlement>(({ key }) => (key === '' ? null : key));
  const keepGroup = (cut: RowGroup<Settlement> | null) => {
    const group = cut === null ? [] : [cut.leader, ...cut.members];
    if (group.some(({ row }) => rows.has(row))) groups.push(group);
  };
  for await (const { settlements } of chunks) {
    for (const settlement of settlements) {
      if (rows.has(settlement.row)) keys.set(settlement.row, settlement.key);
      holders.see(settlement);
      if (isGrouped) keepGroup(cutter.take(settlement));
    }
  }
  keepGroup(cutter.end());
  return { keys, holders: holders.found, groups };
}

function refuseImpossible(told: readonly Told[], held: Held, form: KeyForm): void {
  const first = new Map<number, Told>();
  const given = new Map<string, Told>();
  const problemsOf = (one: Told) => [
    keyProblem(one, held, form),
    otherwiseProblem(one, first),
    sharedProblem(one, given, held),
    heldProblem(one, held),
  ];
  const problems = told.flatMap((one) => {
    const found = problemsOf(one).filter((problem) => problem !== null);
    return found.map((problem) => `${one.where}: ${problem}`);
  });
  if (problems.length > 0) throw new UsageError([...problems, NOTHING_RESOLVED]);
}

/** The same decision twice is one. */
function otherwiseProblem(told: Told, first: Map<number, Told>): string | null {
  const { row, decision } = told;
  if (decision === null) return null;
  const earlier = first.get(row);
  if (earlier === undefined) first.set(row, told);
  if (!earlier?.decision) return null;
  if (describeDecision(earlier.decision) === describeDecision(decision)) return null;
  return `row ${row} is decided otherwise at ${earlier.where}: expected one decision`;
}

function idOf({ decision }: Told): string | null {
  return decision?.kind === 'created' ? decision.id : null;
}

function keyProblem({ row, key }: Told, { keys }: Held, form: KeyForm): string | null {
  if (key === null) return null;
  const known = keys.get(row);
  // A spreadsheet may have taken zeros off; the row is named by its number besides.
  if (known !== undefined && identityOfKey(known, form) === identityOfKey(key, form)) return null;
  if (known === undefined) return `row ${row} has no outcome, or the run has no such row`;
  return (
    `row ${row} has the key ${JSON.stringify(key)} here, but ${JSON.stringify(known)} ` +
    'in the run: expected lines as the report has them; sort whole lines only'
  );
}

function sharedProblem(told: Told, given: Map<string, Told>, held: Held): string | null {
  const id = idOf(told);
  if (id === null) return null;
  const earlier = given.get(id);
  if (earlier === undefined) {
    given.set(id, told);
    return null;
  }
  if (isOneRecord(holderOf(earlier, held), holderOf(told, held))) return null;
  return (
    `the id ${id} is given to row ${told.row}, and to row ${earlier.row} before: ` +
    'expected an id of its own for each row'
  );
}

function heldProblem(told: Told, held: Held): string | null {
  const id = idOf(told);
  const holders = id === null ? [] : (held.holders.get(id) ?? []);
  const other = holders.find((holder) => !isOneRecord(holder, holderOf(told, held)));
  if (other === undefined) return null;
  return `the id ${id} can't be that of row ${told.row}: row ${other.row} of the run has it`;
}

function holderOf({ row }: Told, { keys }: Held): Holder {
  return { row, key: keys.get(row) ?? '' };
}

/**
 * Extends decisions to rows in doubt of the same request. A UsageError lists rows that are decided
 * otherwise than another row of their group.
 */
export function withMembers(groups: Held['groups'], decisions: readonly RowDecision[]) {
  const decided = new Map(decisions.map(({ row, decision }) => [row, decision]));
  const problems: string[] = [];
  const added: RowDecision[] = [];
  for (const group of groups) {
    const doubts = group.filter(({ outcome }) => outcome === 'in-doubt');
    const first = group.find(({ row }) => decided.has(row));
    const decision = first === undefined ? undefined : decided.get(first.row);
    if (first === undefined || decision === undefined || doubts.length === 0) continue;
    const problem = problemOf(group, decided, { row: first.row, decision });
    if (problem !== null) problems.push(problem);
    const open = doubts.filter(({ row }) => !decided.has(row));
    added.push(...open.map(({ row }) => ({ row, decision })));
  }
  if (problems.length > 0) throw new UsageError([...problems, NOTHING_RESOLVED]);
  const all = [...decisions, ...added].sort((a, b) => a.row - b.row);
  return { decisions: all, members: added.map(({ row }) => row) };
}

function problemOf(
  group: readonly Settlement[],
  decided: ReadonlyMap<number, Decision>,
  { row, decision }: RowDecision,
): string | null {
  for (const member of group) {
    const other = decided.get(member.row) ?? settledAs(member);
    if (other === null || describeDecision(other) === describeDecision(decision)) continue;
    const [theirs, ours] = [describeDecision(other), describeDecision(decision)];
    return (
      `row ${member.row} is ${theirs}, and row ${row}, of the same key, ${ours}: ` +
      'expected one decision, since rows of one key are one record'
    );
  }
  return null;
}

/** What was decided or found before; `null`: nothing that counts for the others. */
function settledAs({ outcome, id, code }: Settlement): Decision | null {
  if (wasAccepted(outcome)) return { kind: 'created', id };
  return code === 'not_created' ? { kind: 'not-created' } : null;
}
