/**
 * Adopting records that the service has already: a file of keys and ids becomes a job whose runs
 * send nothing, and what such a run made known can be taken back.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Job, type JobDefinition, jobDefinitionSchema, operationOf } from '../config/job-definition.ts';
import { takeBackAdopted } from '../engine/ledger/adoption.ts';
import { UsageError } from '../lib/usage-error.ts';
import { acceptedRows } from '../model/outcome.ts';
import { isOver, type Run, type StateRequest } from '../model/run.ts';
import { type FileFacts, isTable, type SourceInfo } from '../model/source.ts';
import { adoptionFor, isAdoption, spaceOf } from '../operations/operations.ts';
import { nameOf } from '../operations/own.ts';
import type { Ledger } from '../session.ts';
import { waitForReplica } from './replicas.ts';
import { surveyFor } from './rows.ts';
import { definitionOf } from './status.ts';

/** Columns of the file. */
type Columns = { readonly key: string | undefined; readonly id: string };

/** Reads the file to its end. Keys compare as in the job, and are approved of as its runs are. */
export async function adoptionOf(
  { name, definition }: Job,
  path: string,
  columns: Columns,
): Promise<{ readonly job: Job; readonly facts: FileFacts }> {
  const operation = adoptionFor(operationOf(definition));
  if (operation === null) throw new UsageError(noAdoption(name, definition));
  const key = columns.key ?? definition.key;
  if (key === undefined) throw new UsageError(`${NO_KEY} ${name} names none`);
  const { keyForm, format, decrypt, approval, report } = definition;
  const settings = { operation, key, keyForm, format, decrypt, approval, report };
  const adopting = { ...settings, fields: { id: columns.id }, unusual: 'off' };
  const plain = jobDefinitionSchema.parse(adopting);
  const facts = await surveyFor({ definition: plain }, path);
  assertColumns(facts.source, { '--key': key, '--id': columns.id });
  const read = [key, columns.id];
  const ignore = facts.source.columns.filter((column) => !read.includes(column));
  const whole = jobDefinitionSchema.parse({ ...adopting, ignore });
  return { job: { name: `${name}${ADOPTION}`, definition: whole }, facts };
}

const ADOPTION = '.adopt';

/** The job with a file of its own: an adoption's is made of that. */
export function jobFileOf({ job, operation }: Pick<Run, 'job' | 'operation'>): string {
  const isMade = isAdoption(operation) && job.endsWith(ADOPTION);
  return isMade ? job.slice(0, -ADOPTION.length) : job;
}

/** Where a header names them: records of JSON may have further fields. */
function assertColumns(source: SourceInfo, named: Readonly<Record<string, string>>): void {
  if (!isTable(source)) return;
  const problems = Object.entries(named).flatMap(([flag, column]) => {
    const isThere = source.columns.includes(column);
    return isThere ? [] : `${flag}: the file has no column ${JSON.stringify(column)}`;
  });
  if (problems.length === 0) return;
  const header = source.columns.map((column) => JSON.stringify(column)).join(', ');
  throw new UsageError([...problems, `Expected names of its columns: ${header}.`]);
}

const NO_KEY = '--key: expected the column with the keys: the job';

function noAdoption(job: string, definition: JobDefinition): string {
  const operation = nameOf(operationOf(definition));
  return `The job ${job} is for ${operation}: ${CREATING}`;
}

const CREATING =
  'expected one that creates subclients or ' +
  'counterparties, since later files are compared with its keys.';

type Undo = {
  readonly request: StateRequest;
  /** Of which somebody says that their ids are wrong; empty: all that no run has used. */
  readonly rows: readonly number[];
};

/** Answers how many keys are known no more, and how many stay known. */
export async function undoAdoption(run: Run, { request, rows }: Undo, ledger: Ledger) {
  const { keys, store } = ledger.of(run.target);
  const areNamed = rows.length > 0;
  const { users, why } = await lookAtUsers(run, areNamed, ledger);
  if (why !== null) throw refused(run, why);
  const { keyForm: form } = await definitionOf(run, ledger);
  const space = spaceOf(run.operation) ?? '';
  const placeOf = (key: string) => ({ space, key, form });
  const taken = await takeBackAdopted(ledger.redis, keys, {
    run,
    placeOf,
    request,
    rows: areNamed ? new Set(rows) : null,
    metCounts: users > 0,
  });
  await waitForReplica(ledger, run.target);
  return { ...taken, run: (await store.get(run.id)) ?? run };
}

/** `users`: runs that may have used the keys; `why`: nothing can be taken back. */
async function lookAtUsers(run: Run, areNamed: boolean, ledger: Ledger) {
  const { id, operation, purged, state } = run;
  const refusing = (why: string) => ({ users: 0, why });
  if (!isAdoption(operation)) return refusing(`it was for ${nameOf(operation)}, and adopted nothing`);
  if (!isOver(run)) return refusing(`it is ${state}: \`onboard cancel ${id}\` ends it`);
  if (purged !== undefined) return refusing('its rows are purged, and with them the keys');
  const later = await runsAfter(run, ledger);
  const open = later.filter(({ isEnded }) => !isEnded);
  if (areNamed && open.length > 0) return refusing(`${namesOf(open)} ${MAY_USE}`);
  const referring = later.filter(({ refers }) => refers);
  // Which records rows refer to is kept nowhere.
  if (!areNamed && referring.length > 0) return refusing(`rows of ${namesOf(referring)} ${MAY_REFER}`);
  return { users: later.length, why: null };
}

const MAY_USE = 'may be about to use them: end it first';
const MAY_REFER = 'may refer to its records; name those whose ids are wrong (--row)';

type Later = {
  readonly id: string;
  readonly isEnded: boolean;
  /** Rows of it name records by their keys. */
  readonly refers: boolean;
};

function namesOf(runs: readonly Later[]): string {
  return `run ${runs.map(({ id }) => id).join(', ')}`;
}

/** Runs since then that may have used its keys; one that was cancelled left its rows alone. */
async function runsAfter(adoption: Run, ledger: Ledger): Promise<readonly Later[]> {
  const { store } = ledger.of(adoption.target);
  const space = spaceOf(adoption.operation);
  const found: Later[] = [];
  for (const run of await store.list(MOST_RUNS)) {
    const isLater = run.createdAt >= adoption.createdAt && !isAdoption(run.operation);
    if (!isLater) continue;
    const wasGivenUp = run.state === 'cancelled' && isOver(run);
    const isEmpty = wasGivenUp && acceptedRows(run.outcomes) === 0;
    const refers = !isEmpty && (await refersTo(space, run, ledger));
    // A purge takes what says which keys it has used.
    const isHarmless = wasGivenUp && run.purged === undefined;
    const uses = spaceOf(run.operation) === space && !isHarmless;
    if (uses || refers) found.push({ id: run.id, isEnded: isOver(run), refers });
  }
  return found;
}

const MOST_RUNS = 10_000;

async function refersTo(space: string | null, run: Run, ledger: Ledger): Promise<boolean> {
  const definition = await ledger.of(run.target).store.definition(run.id);
  const sources = Object.values(definition?.fields ?? {});
  return sources.some((source) => typeof source === 'object' && 'ref' in source && source.ref === space);
}

/**
 * Two adoptions at once could give one id two keys: the later one is cancelled, and a UsageError
 * says so. To be asked once the run is registered.
 */
export async function assertAlone(run: Run, ledger: Ledger): Promise<void> {
  const { store } = ledger.of(run.target);
  const own = `${run.createdAt} ${run.id}`;
  const space = spaceOf(run.operation);
  for (const id of await store.withOpenRows()) {
    const other = await store.get(id);
    if (other === null) continue;
    const isLike = isAdoption(other.operation) && spaceOf(other.operation) === space;
    const isEarlier = `${other.createdAt} ${id}` < own;
    if (!isLike || !isEarlier) continue;
    await store.transition(run.id, 'cancelled', null);
    throw new UsageError([
      `Run ${id} ${ADOPTS_TOO}`,
      `Once it is over, give this command again with --again.`,
    ]);
  }
}

const ADOPTS_TOO = 'adopts records, too, and an id could get two keys. Nothing is adopted.';

/** Where the file was adopted before, it was by those columns. */
export async function assertSameColumns(
  { job, facts }: { readonly job: Job; readonly facts: FileFacts },
  { target, again }: { readonly target: string; readonly again: boolean },
  ledger: Ledger,
): Promise<void> {
  const { store } = ledger.of(target);
  const known = await store.ofFile({ sha256: facts.sha256, job: job.name });
  const run = known === null ? null : await store.get(known);
  if (run === null || (again && isOver(run))) return;
  const before = await store.definition(run.id);
  const { key, fields } = job.definition;
  const isSame = before?.key === key && isDeepStrictEqual(before?.fields, fields);
  if (isSame) return;
  const way = isOver(run) ? 'By these: --again' : `\`onboard cancel ${run.id}\` ends that one`;
  throw new UsageError(`Run ${run.id} ${BY_OTHERS} ${way}.`);
}

const BY_OTHERS = 'adopted this file by other columns (--key, --id).';

function refused({ id }: Run, why: string): UsageError {
  return new UsageError(`Nothing of run ${id} is taken back: ${why}.`);
}
