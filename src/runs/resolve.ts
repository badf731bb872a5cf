/**
 * Settles in the ledger what somebody says became of rows in doubt. All of it is refused where any of it can't be
 * right: a row under another key than the run's, an id that would be two records', rows of one request with two ends.
 * The ledger is read once, and only the chunks of the rows that are named, unless an id is given: any row of the run
 * may have that id.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { outcomeOfCreated } from '../config/own-request.ts';
import { createRunInput } from '../ledger/reruns.ts';
import {
  type Holder,
  isOneRecord,
  type RowDecision,
  type RowResolved,
  resolveRows,
} from '../ledger/resolve.ts';
import { createRunView, settlementsOfChunks } from '../ledger/run-view.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOwn } from '../model/operation.ts';
import { wasAccepted } from '../model/outcome.ts';
import { type Decision, describeDecision } from '../model/resolution.ts';
import { createGroupCutter, type RowGroup } from '../model/row-group.ts';
import { type Chunking, chunksOf, type Run, rowsBefore } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import type { Summary } from '../report/summary.ts';
import { type Ledger, reportDirectory, type Session } from '../session.ts';
import { lookUpOnDemand } from './look-up.ts';
import { writeReportOf } from './report.ts';
import { readDecisions, type Said, type Told } from './resolve-file.ts';

/** How a person names the rows and what became of them. */
export type ResolveRequest =
  | {
      readonly kind: 'rows';
      readonly rows: ReadonlyArray<{ readonly row: number; readonly decision: Decision }>;
    }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'lookup'; readonly jobFile: string | null };

/** What became of the decisions. */
export type Resolved = {
  readonly created: number;
  /** The report's word for those: the outcome that the job's rows have. */
  readonly createdAs: string;
  readonly notCreated: number;
  /** Decided so before. */
  readonly unchanged: number;
  /** Left alone, since nobody or nothing has decided. */
  readonly open: number;
  /** How many of the rows settled nobody named: they are one record with a row that somebody named. */
  readonly mates: number;
  readonly refused: ReadonlyArray<{ readonly row: number; readonly why: string }>;
};

type ResolveSession = Pick<Session, 'io' | 'env' | 'ledger'>;

/** Settles what the request names, as far as it can be right, and answers what became of it; `by`: who decides. */
export async function resolveRun(
  run: Run,
  request: ResolveRequest,
  by: string,
  session: ResolveSession,
): Promise<Resolved> {
  const definition = await session.ledger.of(run.target).store.definition(run.id);
  const createdAs = outcomeOfCreated(
    definition ?? { operation: isOwn(run.operation) ? 'custom' : run.operation },
  );
  const decideAll = async (said: Said) => ({
    ...(await decide(run, said, { by, isGrouped: definition?.group !== undefined }, session.ledger)),
    createdAs,
  });
  switch (request.kind) {
    case 'lookup': {
      const looked = await lookUpOnDemand(run, request.jobFile, session);
      const open = looked.open + looked.keyless + looked.left;
      const { created, notCreated } = looked;
      return { created, createdAs, notCreated, unchanged: 0, open, mates: 0, refused: [] };
    }
    case 'rows': {
      const told = request.rows.map((one) => ({ where: `row ${one.row}`, key: null, ...one }));
      return decideAll({ decisions: request.rows, open: 0, told });
    }
    case 'file': {
      if (definition === null) {
        throw new UsageError(`The ledger has no definition of run ${run.id}: resolve its rows one by one.`);
      }
      return decideAll(await readDecisions(request.path, run, definition.key ?? null));
    }
    default:
      return request satisfies never;
  }
}

async function decide(
  run: Run,
  said: Said,
  { by, isGrouped }: { readonly by: string; readonly isGrouped: boolean },
  ledger: Ledger,
): Promise<Omit<Resolved, 'createdAs'>> {
  const { keys } = ledger.of(run.target);
  const held = await heldOf(run, said, isGrouped, ledger);
  refuseMisplaced(said.told, held);
  const { decisions, mates } = withMates(held.groups, said.decisions);
  const answers = await resolveRows(ledger.redis, keys, { run, by, at: new Date(), decisions });
  // Lines that were left open are settled with the others of their key.
  const settledOpen = said.told.filter(({ row }) => mates.includes(row)).length;
  return {
    ...countAnswers(decisions, answers),
    open: said.open - settledOpen,
    mates: mates.length,
    refused: await refusedOf(run, answers, ledger),
  };
}

/** What a run holds of rows and ids that somebody names; rows without an outcome are absent. */
type Held = {
  /** The keys by row number; an empty text where the row has none. */
  readonly keys: ReadonlyMap<number, string>;
  /** Rows that have the id, by id: two at most, since rows of one key are one record and stand for each other. */
  readonly holders: ReadonlyMap<string, readonly Holder[]>;
  /** Where the job groups rows: the groups that named rows are in. */
  readonly groups: ReadonlyArray<readonly Settlement[]>;
};

type Named = {
  readonly rows: ReadonlySet<number>;
  readonly ids: ReadonlySet<string>;
  readonly isGrouped: boolean;
};

async function heldOf(run: Run, { told }: Said, isGrouped: boolean, ledger: Ledger): Promise<Held> {
  const rows = new Set(told.map(({ row }) => row));
  const ids = new Set(told.flatMap((one) => idOf(one) ?? []));
  const isNeeded = ids.size > 0 || isGrouped || told.some(({ key }) => key !== null);
  if (!isNeeded) return { keys: new Map(), holders: new Map(), groups: [] };
  const view = createRunView(ledger.redis, ledger.of(run.target).keys, run);
  const batches = ids.size > 0 ? view.settlements() : settlementsAround(rows, run, ledger);
  return readHeld(batches, { rows, ids, isGrouped });
}

/** Two tell enough: where one holder is the row that is given the id, the other is in its way. */
const HOLDERS_KEPT = 2;

/** Reads what the run holds of these rows and ids; memory grows with what is named, not with the run. */
export async function readHeld(
  batches: AsyncIterable<readonly Settlement[]>,
  { rows, ids, isGrouped }: Named,
): Promise<Held> {
  const keys = new Map<number, string>();
  const holders = new Map<string, Holder[]>();
  const groups: (readonly Settlement[])[] = [];
  const cutter = createGroupCutter<Settlement>(({ key }) => (key === '' ? null : key));
  const keepGroup = (cut: RowGroup<Settlement> | null) => {
    const group = cut === null ? [] : [cut.lead, ...cut.mates];
    if (group.some(({ row }) => rows.has(row))) groups.push(group);
  };
  const keepHolder = ({ row, key, id }: Settlement) => {
    const known = holders.get(id) ?? [];
    if (known.length === HOLDERS_KEPT || known.some((one) => isOneRecord(one, { row, key }))) return;
    holders.set(id, [...known, { row, key }]);
  };
  for await (const batch of batches) {
    for (const settlement of batch) {
      if (rows.has(settlement.row)) keys.set(settlement.row, settlement.key);
      if (ids.has(settlement.id)) keepHolder(settlement);
      if (isGrouped) keepGroup(cutter.take(settlement));
    }
  }
  keepGroup(cutter.end());
  return { keys, holders, groups };
}

/** Throws a UsageError that lists every row told of under another key than the run's, and every id that would be two records'. */
function refuseMisplaced(told: readonly Told[], held: Held): void {
  const given = new Map<string, Told>();
  const problems = told.flatMap((one) =>
    [keyProblem(one, held), sharedProblem(one, given, held), heldProblem(one, held)].flatMap((problem) =>
      problem === null ? [] : [`${one.where}: ${problem}`],
    ),
  );
  if (problems.length > 0) throw new UsageError([...problems, 'Nothing was resolved.']);
}

function idOf({ decision }: Told): string | null {
  return decision?.kind === 'created' ? decision.id : null;
}

function keyProblem({ row, key }: Told, { keys }: Held): string | null {
  if (key === null) return null;
  const known = keys.get(row);
  if (known === key) return null;
  if (known === undefined) return `row ${row} has no outcome, or the run has no such row`;
  return `row ${row} has the key ${JSON.stringify(key)} here, but ${JSON.stringify(known)} in the run: expected lines as the report has them; sort whole lines only`;
}

function sharedProblem(told: Told, given: Map<string, Told>, held: Held): string | null {
  const id = idOf(told);
  if (id === null) return null;
  const earlier = given.get(id);
  if (earlier === undefined) given.set(id, told);
  if (earlier === undefined || isOneRecord(holderOf(earlier, held), holderOf(told, held))) return null;
  return `the id ${id} is given to row ${told.row}, and to row ${earlier.row} before: expected an id of its own for each row`;
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

/** Decisions together with those of the rows that are one record with theirs. */
type WithMates = {
  /** In row order. */
  readonly decisions: readonly RowDecision[];
  /** The rows that were added. */
  readonly mates: readonly number[];
};

/**
 * Extends decisions to the rows in doubt that were one request with theirs. A UsageError lists every row that is decided otherwise than
 * another row of its group is, or was before.
 */
export function withMates(groups: Held['groups'], decisions: readonly RowDecision[]): WithMates {
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
  if (problems.length > 0) throw new UsageError([...problems, 'Nothing was resolved.']);
  const all = [...decisions, ...added].sort((a, b) => a.row - b.row);
  return { decisions: all, mates: added.map(({ row }) => row) };
}

function problemOf(
  group: readonly Settlement[],
  decided: ReadonlyMap<number, Decision>,
  { row, decision }: RowDecision,
): string | null {
  for (const mate of group) {
    const other = decided.get(mate.row) ?? settledAs(mate);
    if (other === null || describeDecision(other) === describeDecision(decision)) continue;
    return (
      `row ${mate.row} is ${describeDecision(other)}, and row ${row}, of the same key, ${describeDecision(decision)}: ` +
      'expected one decision, since rows of one key are one record'
    );
  }
  return null;
}

/** What was decided or found of a row before; `null` where that says nothing of the others. */
function settledAs({ outcome, id, code }: Settlement): Decision | null {
  if (wasAccepted(outcome)) return { kind: 'created', id };
  return code === 'not_created' ? { kind: 'not-created' } : null;
}

function countAnswers(decisions: readonly RowDecision[], answers: readonly RowResolved[]) {
  const counts = { created: 0, notCreated: 0, unchanged: 0 };
  decisions.forEach(({ decision }, i) => {
    const kind = answers[i]?.kind;
    if (kind === 'unchanged') counts.unchanged += 1;
    else if (kind === 'resolved') counts[decision.kind === 'created' ? 'created' : 'notCreated'] += 1;
  });
  return counts;
}

/** The rows whose decisions the ledger did not take, and what they are. */
async function refusedOf(
  run: Run,
  answers: readonly RowResolved[],
  ledger: Ledger,
): Promise<Resolved['refused']> {
  const strange = new Set(answers.flatMap(({ row, kind }) => (kind === 'not-in-doubt' ? [row] : [])));
  const known = new Map<number, Settlement>();
  for await (const batch of settlementsAround(strange, run, ledger))
    for (const s of batch) known.set(s.row, s);
  return answers.flatMap((answer) => {
    const why = refusal(answer, known);
    return why === null ? [] : [{ row: answer.row, why }];
  });
}

function refusal(answer: RowResolved, known: ReadonlyMap<number, Settlement>): string | null {
  switch (answer.kind) {
    case 'resolved':
    case 'unchanged':
      return null;
    case 'otherwise': {
      const { decision, id, by, at } = answer.earlier;
      return `was resolved as ${describeDecision({ kind: decision, id })}, by ${by} at ${at}`;
    }
    case 'not-in-doubt':
      return stateWords(known.get(answer.row));
    default:
      return answer satisfies never;
  }
}

function stateWords(settlement: Settlement | undefined): string {
  if (settlement === undefined) return 'has no outcome, or the run has no such row';
  const { outcome, id } = settlement;
  return `is not in doubt, but ${outcome}${id === '' ? '' : `, id ${id}`}`;
}

const CHUNKS_AT_ONCE = 16;

/** The settlements of the chunks that these rows are in, in row order; a group is never in two chunks. */
async function* settlementsAround(
  rows: ReadonlySet<number>,
  run: Run,
  { redis, of }: Ledger,
): AsyncGenerator<readonly Settlement[]> {
  if (rows.size === 0) return;
  const { keys } = of(run.target);
  // The rows of a rerun have the numbers that they have in its parent's file.
  const numbers = run.parent === null ? null : await createRunInput(redis, keys, run.id).numbers();
  const chunks = run.parent !== null && numbers === null ? allChunks(run) : chunksWith(rows, run, numbers);
  for (let at = 0; at < chunks.length; at += CHUNKS_AT_ONCE) {
    yield* await settlementsOfChunks(redis, keys.run(run.id), chunks.slice(at, at + CHUNKS_AT_ONCE));
  }
}

function allChunks(run: Run): number[] {
  return Array.from({ length: chunksOf(run) }, (_, i) => i + 1);
}

/** `numbers`: those of the run's rows, where they don't count from 1. */
export function chunksWith(
  rows: ReadonlySet<number>,
  run: Chunking,
  numbers: readonly number[] | null,
): number[] {
  const places = numbers === null ? [...rows] : numbers.flatMap((row, i) => (rows.has(row) ? [i + 1] : []));
  const inRun = places.filter((place) => place >= 1 && place <= run.rows).sort((a, b) => a - b);
  const chunks = new Set<number>();
  let n = 1;
  for (const place of inRun) {
    while (rowsBefore(run, n + 1) < place) n += 1;
    chunks.add(n);
  }
  return [...chunks];
}

/** The report after rows were resolved. */
export type Rewritten =
  | { readonly kind: 'written'; readonly directory: string; readonly summary: Summary }
  /** A process is following the run, and writes its report. */
  | { readonly kind: 'of-another' };

type Done = { readonly request: ResolveRequest; readonly resolved: Resolved };

/** Writes the run's report again, but for files that somebody is working on. */
export async function rewriteReport(
  run: Run,
  { request, resolved }: Done,
  session: Pick<Session, 'env' | 'io' | 'ledger'>,
): Promise<Rewritten> {
  const underWay = run.state === 'running' || run.state === 'queued';
  const { store } = session.ledger.of(run.target);
  if (underWay && (await store.hasLease(run.id))) return { kind: 'of-another' };
  const directory = reportDirectory(session.env, run.id);
  // Where every decision in a file of the report was taken, nobody's work is lost with it.
  const isFollowed = request.kind === 'file' && resolved.refused.length === 0;
  const followed = isFollowed ? await nameWithin(directory, request.path) : [];
  return { kind: 'written', directory, summary: await writeReportOf(run, session, { followed }) };
}

/** The name of a file that lies in the folder; none for one that lies elsewhere. */
async function nameWithin(folder: string, path: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found = await realpath(path);
  return dirname(found) === (await realpath(folder)) ? [basename(found)] : [];
}
