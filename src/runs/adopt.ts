/**
 * Adopting records that the service has already: a file of keys and ids becomes a job whose runs
 * send nothing, and what such a run made known can be taken back.
 */
import { type Job, type JobDefinition, jobDefinitionSchema, operationOf } from '../config/job-definition.ts';
import { takeBackAdopted } from '../engine/ledger/adoption.ts';
import { UsageError } from '../lib/usage-error.ts';
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

/** Answers how many keys are known no more, and how many stay known. */
export async function undoAdoption(run: Run, request: StateRequest, ledger: Ledger) {
  const { keys, store } = ledger.of(run.target);
  const why = await whyNotUndone(run, ledger);
  if (why !== null) throw refused(run, why);
  const { keyForm: form } = await definitionOf(run, ledger);
  const space = spaceOf(run.operation) ?? '';
  const placeOf = (key: string) => ({ space, key, form });
  const taken = await takeBackAdopted(ledger.redis, keys, {
    run,
    placeOf,
    request,
  });
  await waitForReplica(ledger, run.target);
  return { ...taken, run: (await store.get(run.id)) ?? run };
}

async function whyNotUndone(run: Run, ledger: Ledger): Promise<string | null> {
  const { id, operation, purged, state } = run;
  if (!isAdoption(operation)) return `it was for ${nameOf(operation)}, and adopted nothing`;
  if (!isOver(run)) return `it is ${state}: \`onboard cancel ${id}\` ends it`;
  if (purged !== undefined) return 'its rows are purged, and with them the keys';
  const others = await openBeside(run, ledger);
  if (others.length === 0) return null;
  return `run ${others.join(', ')} is not over, and may have taken its ids up`;
}

/** Runs with open rows whose keys are those of this one. */
async function openBeside({ id, target, operation }: Run, ledger: Ledger): Promise<string[]> {
  const { store } = ledger.of(target);
  const space = spaceOf(operation);
  const open: string[] = [];
  for (const one of await store.withOpenRows()) {
    const run = await store.get(one);
    const isBeside = run !== null && run.id !== id;
    if (isBeside && spaceOf(run.operation) === space) open.push(one);
  }
  return open;
}

function refused({ id }: Run, why: string): UsageError {
  return new UsageError(`Nothing of run ${id} is taken back: ${why}.`);
}
