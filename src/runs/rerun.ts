/**
 * A rerun: the rows of a run that did not succeed, as a run of their own, chosen from those that no
 * earlier run took and kept in the ledger beside it. A kill leaves a whole rerun or none: rows of
 * an unregistered rerun expire.
 */
import { type Job, operationOf } from '../config/job-definition.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { definitionProblems, mappingFor } from '../delivery/run-mapping.ts';
import { openAccounts } from '../engine/ledger/account.ts';
import {
  type ChoiceCounts,
  createRerunStore,
  createRunInput,
  type RerunStore,
  type RowChoice,
  unsuccessfulRows,
} from '../engine/ledger/reruns.ts';
import { type NewRun, type Right, type RunBrief, whyNotBegun } from '../engine/ledger/run-record.ts';
import { newRunId } from '../engine/ledger/run-store.ts';
import { createRunView } from '../engine/ledger/run-view.ts';
import { didYouMean } from '../lib/did-you-mean.ts';
import { countOf, shellWord, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import { isOver, type Run, wasGivenUp } from '../model/run.ts';
import { nameOf } from '../operations/own.ts';
import { createApartRows } from '../readers/intake/apart-rows.ts';
import { createCut } from '../readers/intake/chunks.ts';
import type { Ledger, Session, TargetSession } from '../session.ts';
import { type Resumed, resumeRun } from './control.ts';
import { waitForReplica } from './replicas.ts';
import { goOnCommand } from './report/advice.ts';
import { purgedWords } from './report/words.ts';
import { CHUNK_ROWS, type CheckRows, canaryOf, NO_KEYS } from './rows.ts';
import { definitionOf } from './status.ts';

/** Not in doubt: such a row may have been created. */
export const RERUN_OUTCOMES = [
  'rejected',
  'failed',
  'denied',
  'invalid',
  'cancelled',
] as const satisfies readonly Outcome[];

/** The outcomes of `--only`, by default all; a UsageError lists what can't be sent again. */
export function rerunOutcomes(only: readonly string[]): ReadonlySet<Outcome> {
  const names = only.flatMap((list) => list.split(',')).map((name) => name.trim());
  const wrong = names.filter((name) => RERUN_OUTCOMES.every((outcome) => outcome !== name));
  if (wrong.length > 0) throw new UsageError(wrong.map(problemOf));
  if (names.length === 0) return new Set(RERUN_OUTCOMES);
  return new Set(RERUN_OUTCOMES.filter((outcome) => names.includes(outcome)));
}

function problemOf(name: string): string {
  const expected = `--only "${name}": expected some of ${RERUN_OUTCOMES.join(', ')}.`;
  if (name !== 'in-doubt') return `${expected}${didYouMean(name, RERUN_OUTCOMES)}`;
  return `${expected} Rows in doubt may have been created: \`onboard resolve\` settles them first.`;
}

/** `job`, `jobFile`: the job where it is not the run's own. */
type Asked = RowChoice & {
  readonly job: string | undefined;
  readonly jobFile: string | undefined;
  readonly check: CheckRows;
  /** Left out: nobody has said anything of cells. */
  readonly right?: Right | undefined;
};

/** `nothing`: no row is left; `lines` say why. `run`: the rerun, or an earlier one that goes on. */
type Rerun =
  | { readonly kind: 'nothing'; readonly lines: readonly string[] }
  | { readonly kind: 'run'; readonly run: Run; readonly resumed: Resumed };

/** Sends the rows of a run that is over again. An unfinished earlier rerun goes on instead. */
export async function rerunRows(
  parent: Run,
  asked: Asked,
  session: TargetSession,
  onBegun?: (run: Run) => void,
): Promise<Rerun> {
  if (!isOver(parent)) throw new UsageError(notOver(parent));
  if (wasGivenUp(parent)) throw new UsageError(givenUp(parent));
  if (parent.purged !== undefined) throw new UsageError(rowsPurged(parent.id, parent.purged));
  const job = await jobOf(parent, asked, session);
  if (operationOf(job.definition) !== parent.operation) throw new UsageError(otherOperation(job, parent));
  const { target } = parent;
  const unknown = whyNotBegun(session.ledger.of(target).keys.actor, { ...job, target });
  if (unknown !== null) throw new UsageError(unknown);
  // Columns that don't fit are reported before anything is registered.
  mappingFor(job.definition, parent.source);
  const wanted = { ...asked, parent, job };
  const begun = await registerRerun(wanted, session.ledger);
  if (begun.kind === 'nothing') return begun;
  const { run, lines } = begun;
  for (const line of lines) tell(session.io, line);
  return { kind: 'run', run, resumed: await resumeRun(run, session, onBegun) };
}

/** Its rows would go without a look at what held them back. */
function givenUp({ id, file }: Run): string {
  return (
    `Run ${id} was given up before any of its rows went, since its file is unlike those before it: ` +
    `expected the file itself, which is compared anew: \`onboard run JOB ${shellWord(file)} --again\`.`
  );
}

async function jobOf(parent: Run, { job, jobFile }: Asked, { env, ledger }: Session): Promise<Job> {
  if (jobFile !== undefined) return loadJobFile(jobFile, definitionProblems);
  if (job !== undefined) return loadJob(job, env.jobsDirectory, definitionProblems);
  return { name: parent.job, definition: await definitionOf(parent, ledger) };
}

function notOver(run: Run): string {
  const { id, state } = run;
  return (
    `Run ${id} is ${state} and has rows without an outcome: expected one that is over. ` +
    `\`${goOnCommand(run)}\` takes it to its end.`
  );
}

function rowsPurged(id: string, purged: NonNullable<Run['purged']>): string {
  return (
    `The rows of run ${id} were ${purgedWords(purged)}: expected one that has them. ` +
    `\`onboard account ${id}\` says which are open.`
  );
}

function otherOperation({ name, definition }: Job, parent: Run): string {
  return (
    `The job ${name} is for ${nameOf(operationOf(definition))}, and run ${parent.id} was for ${nameOf(parent.operation)}: ` +
    'expected a definition of the same operation.'
  );
}

type Wanted = RowChoice & Pick<Asked, 'check' | 'right'> & { readonly parent: Run; readonly job: Job };

/** `lines`: for the user. */
type Registered = { readonly lines: readonly string[] } & (
  | { readonly kind: 'nothing' }
  | { readonly kind: 'run'; readonly run: Run }
);

async function registerRerun(wanted: Wanted, ledger: Ledger): Promise<Registered> {
  const { parent } = wanted;
  const { keys, store } = ledger.of(parent.target);
  const reruns = createRerunStore(ledger.redis, keys, parent.id);
  for (;;) {
    const latest = await store.latestTaker();
    const accounts = openAccounts(ledger.redis, keys);
    const takers = await accounts.takersOf(parent.id);
    const unfinished = takers.find((run) => run.parent === parent.id && !isOver(run));
    const goingOn = unfinished === undefined ? null : await store.get(unfinished.id);
    if (goingOn !== null) return { kind: 'run', run: goingOn, lines: [goesOn(goingOn)] };
    const createdAt = new Date();
    const id = newRunId(createdAt);
    const seenTo = await accounts.seenTo(parent.id);
    const frozen = await freezeRows(id, { ...wanted, seenTo }, ledger);
    const { counts, rows } = frozen;
    if (counts.chosen === 0) return { kind: 'nothing', lines: nothingLeft(parent, takers, counts) };
    // What was said of a row that has not gone yet stays said.
    const said = (await store.termsOf(parent.id)).right;
    const taken = new Set(rows);
    const cells = [...said, ...(wanted.right?.cells ?? [])].filter(([row]) => taken.has(row));
    const right = { cells, why: wanted.right?.why ?? '' };
    const fresh = newRun({ ...wanted, right }, { id, createdAt }, frozen);
    const chunks = createRunInput(ledger.redis, keys, id).read({ ...fresh.facts, ...frozen.chunking });
    const checked = await wanted.check(fresh, chunks);
    const run = await register({ ...fresh, checked }, { latest, rows }, { reruns, ledger });
    if (run !== null) return { kind: 'run', run, lines: leftOut(parent, counts) };
    // Another rerun was registered meanwhile, perhaps of the same rows.
  }
}

function goesOn({ id }: Run): string {
  return `Run ${id} of these rows is not over: that one goes on, and no new one begins.`;
}

type Choosing = RowChoice & Pick<Wanted, 'parent' | 'job'> & { readonly seenTo: ReadonlySet<number> };

type Frozen = Awaited<ReturnType<typeof freezeRows>>;

export async function freezeRows(id: string, choosing: Choosing, { redis, of }: Ledger) {
  const { parent, job } = choosing;
  const { keys } = of(parent.target);
  const counts: ChoiceCounts = { chosen: 0, withoutRecord: 0, inDoubt: 0 };
  const input = createRunInput(redis, keys, id);
  const isGrouped = job.definition.group !== undefined;
  const grouping = isGrouped ? mappingFor(job.definition, parent.source) : null;
  const firstRows = canaryOf(job.definition)?.rows;
  const endsBefore = createCut({ chunkRows: CHUNK_ROWS, firstRows, keyOf: grouping?.groupOf ?? null });
  const apart = createApartRows(grouping ?? NO_KEYS);
  const numbers: number[] = [];
  /** The number of rows up to the end of each chunk. */
  const ends: number[] = [];
  let chunk: Row[] = [];
  const write = async () => {
    if (chunk.length === 0) return;
    ends.push(numbers.length);
    await input.write(ends.length, chunk);
    chunk = [];
  };
  const view = createRunView(redis, keys, parent);
  for await (const rows of unsuccessfulRows(view, { ...choosing, isGrouped }, counts)) {
    for (const row of rows) {
      if (endsBefore(row, chunk.length)) await write();
      chunk.push(row);
      numbers.push(row.row);
      apart.see(row);
    }
  }
  await write();
  const chunking = { chunkRows: CHUNK_ROWS, chunkEnds: ends };
  return { counts, rows: numbers, chunking, chunkEnds: isGrouped ? ends : null, apart: apart.found() };
}

function newRun(
  { parent, job, right }: Wanted,
  { id, createdAt }: Pick<NewRun, 'id' | 'createdAt'>,
  { rows, chunkEnds, apart }: Frozen,
): NewRun {
  const { target, file, sha256, source } = parent;
  return {
    id,
    job: job.name,
    definition: job.definition,
    target,
    // The rows still come from the file.
    facts: { path: file, sha256, bytes: 0, rows: rows.length, source, chunkEnds, apart, stamp: '' },
    chunkRows: CHUNK_ROWS,
    canary: canaryOf(job.definition),
    createdAt,
    again: false,
    rerunOf: parent.id,
    right,
  };
}

/** `null`: another rerun was registered since the rows were chosen. */
async function register(
  run: NewRun,
  chosen: Parameters<RerunStore['register']>[1],
  { reruns, ledger }: { readonly reruns: RerunStore; readonly ledger: Ledger },
): Promise<Run | null> {
  const { index, redis, of } = ledger;
  const { keys, store } = of(run.target);
  await index.add(run.id, run.target, run.createdAt);
  if (await reruns.register(run, chosen)) {
    await waitForReplica(ledger, run.target);
    return store.get(run.id);
  }
  await index.remove(run.id);
  await createRunInput(redis, keys, run.id).drop();
  return null;
}

function leftOut(run: Run, { inDoubt, withoutRecord }: ChoiceCounts): string[] {
  const lines: string[] = [];
  if (inDoubt > 0) lines.push(leftInDoubt(run, inDoubt));
  if (withoutRecord > 0) lines.push(leftWithoutRecord(run, withoutRecord));
  return lines;
}

function leftInDoubt({ id }: Run, count: number): string {
  const are = count === 1 ? 'is' : 'are';
  return (
    `${countOf(count, 'row')} of run ${id} ${are} in doubt and left out: ` +
    `\`onboard status ${id}\` says how to settle them.`
  );
}

function leftWithoutRecord({ id, parent }: Run, count: number): string {
  const why = count === 1 ? 'is left out: its record is' : 'are left out: their records are';
  const said = `${countOf(count, 'row')} of run ${id} ${why} not kept any more.`;
  if (parent === null) return said;
  return `${said} \`onboard rerun ${parent}\` takes them up where it has them.`;
}

function nothingLeft(run: Run, takers: readonly RunBrief[], counts: ChoiceCounts): string[] {
  const { id } = run;
  const where = takers.length === 0 ? [] : [`\`onboard account ${id}\` says where each stands by now.`];
  return [`Run ${id} has no rows left to take up.`, ...where, ...leftOut(run, counts)];
}
