/**
 * A claimed file's way through its job: read once while nobody writes to it, registered as a run
 * under the claim's id, followed to where the run ends or stays, and settled. After a kill any
 * process that has the claim may repeat every step: the run knows what was sent, and a file that
 * changed since its run began goes no further.
 */
import type { Job } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { insteadOf } from '../lib/errors.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { reasonAdvice } from '../model/advice.ts';
import { EXIT } from '../model/exit.ts';
import { nameOf } from '../model/operation.ts';
import { isOver, type Reason, type Run } from '../model/run.ts';
import { type FileFacts, isTable, type SourceInfo } from '../model/source.ts';
import { executeToEnd } from '../runs/execute.ts';
import { registerFile } from '../runs/register.ts';
import { fileRows, surveyFor } from '../runs/rows.ts';
import { type Claim, dropClaim, openClaimed } from './claim.ts';
import { type Fault, takenWords } from './note.ts';
import { isOriginalWritten } from './other-file-system.ts';
import { settle } from './settle.ts';
import type { Watcher } from './watcher.ts';

type TakeEnd =
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** Its run waits for a person. */
  | { readonly kind: 'paused'; readonly run: Run }
  /** This process ends, or lost the claim: the other process, or the next start, goes on. */
  | { readonly kind: 'left' };

type Take = {
  /** Fires when this process is to end or has lost the claim. */
  readonly signal: AbortSignal;
  /** Called with the run's id. */
  onRun(run: string): void;
  /** Whether this process executes that run for another file. */
  isUnderWay(run: string): boolean;
};

export async function takeClaim(claim: Claim, watcher: Watcher, take: Take): Promise<TakeEnd> {
  const read = await readClaim(claim, watcher, take.signal);
  switch (read.kind) {
    case 'left':
      return read;
    case 'gone':
      await dropClaim(claim);
      watcher.teller.line(`${claim.info.path}: was removed from ${claim.folder} by somebody`);
      return { kind: 'ended', exitCode: EXIT.notStarted };
    case 'refused':
    case 'changed':
      return { kind: 'ended', exitCode: await settle(claim, read, watcher) };
    case 'read':
      return runFileOf(claim, read, watcher, take);
    default:
      return read satisfies never;
  }
}

const WAIT_MS = 200;

async function runFileOf(
  claim: Claim,
  { facts, job }: { readonly facts: FileFacts; readonly job: Job },
  watcher: Watcher,
  { signal, onRun, isUnderWay }: Take,
): Promise<TakeEnd> {
  const { store, target } = watcher;
  const session = { ...watcher.session, io: { ...watcher.session.io, interrupted: signal } };
  const { id } = await registerFile(
    { facts, job, target, again: claim.info.again === true, id: claim.id },
    session,
  );
  // Another file with the same content is in work here: its end decides for this one.
  while (id !== claim.id && isUnderWay(id) && !signal.aborted) await sleep(WAIT_MS, signal);
  onRun(id);
  const run = await session.registration.find(() => store.get(id));
  if (run === null) throw new Error(`run ${id} is gone from the ledger`);
  if (isOver(run)) {
    const { stamp } = facts;
    // A follower on another machine has lost the claim.
    if (id === claim.id) await session.notifier?.follow(id);
    const end =
      id === claim.id
        ? ({ kind: 'done', stamp, ...(await executeToEnd(run, fileRows(facts), session)) } as const)
        : ({ kind: 'known', stamp, run } as const);
    return { kind: 'ended', exitCode: await settle(claim, end, watcher) };
  }
  return mayGoOn(run) ? followToEnd(run, { claim, facts }, { ...watcher, session }) : { kind: 'paused', run };
}

/** As far as it goes; settles the file where the run is over or the file changed. */
async function followToEnd(
  run: Run,
  { claim, facts }: { readonly claim: Claim; readonly facts: FileFacts },
  watcher: Watcher,
): Promise<TakeEnd> {
  const { id } = run;
  const { store, teller, session } = watcher;
  if (run.state !== 'cancelled') await store.transition(id, run.rows === 0 ? 'finished' : 'running', null);
  teller.line(takenWords(claim.info.path, run));
  const current = (await store.get(id)) ?? run;
  const executed = await executeToEnd(current, fileRows(facts), session, { isQuiet: true });
  const ended = executed.run;
  if (!isOver(ended) && ended.reason !== 'file-changed')
    return session.io.interrupted.aborted ? { kind: 'left' } : { kind: 'paused', run: ended };
  const { stamp } = facts;
  const isWhole =
    isOver(ended) && (await fileStamp(claim.file)) === stamp && !(await isOriginalWritten(claim));
  const end = { kind: isWhole ? 'done' : 'changed', stamp, ...executed } as const;
  return { kind: 'ended', exitCode: await settle(claim, end, watcher) };
}

/** Only a person resumes runs that are paused for these. */
const LEFT_ALONE: readonly (Reason | null)[] = ['requested', 'file-changed'];

function mayGoOn({ state, reason }: Run): boolean {
  return state !== 'stopped' && !(state === 'paused' && LEFT_ALONE.includes(reason));
}

/** For a file whose run waits for a person. */
export function pausedWords({ info }: Claim, { id, state, reason, operation }: Run): string {
  const advice = reason === null ? '' : ` ${reasonAdvice(reason, nameOf(operation))}`;
  return `${info.path}: run ${id} is ${state}${reason === null ? '' : ` (${reason})`}.${advice} To go on: onboard resume ${id}`;
}

type ReadClaim =
  | { readonly kind: 'read'; readonly facts: FileFacts; readonly job: Job }
  | { readonly kind: 'refused'; readonly why: readonly string[]; readonly fault: Fault }
  /** The file has a run of its earlier content. */
  | { readonly kind: 'changed'; readonly run: Run; readonly stamp: string }
  /** It was removed. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'left' };

/** Waits for a file that is still written to, and reads it again. */
async function readClaim(claim: Claim, watcher: Watcher, signal: AbortSignal): Promise<ReadClaim> {
  const run = await watcher.store.get(claim.id);
  const job = await jobOf(claim, run, watcher);
  if (job === null)
    return { kind: 'refused', why: [`there is no job ${claim.info.job} any more`], fault: 'job' };
  let expected = claim.info.stamp;
  for (;;) {
    const rest = await comeToRest(claim.file, { expected, restMs: watcher.restMs, signal });
    if (rest.kind !== 'whole') return rest;
    const read = await readOnce(claim.file, { job, run, stamp: rest.stamp });
    if (read !== null) return read;
    expected = rest.stamp;
  }
}

/** The run's definition, else the job's current one. */
async function jobOf({ id, info }: Claim, run: Run | null, { store, book }: Watcher): Promise<Job | null> {
  const registered = run === null ? null : await store.definition(id);
  if (registered !== null) return { name: info.job, definition: registered };
  return book.jobs().find(({ name }) => name === info.job) ?? null;
}

type Whole = { readonly kind: 'whole'; readonly stamp: string };

/** A file that changed since its claim: waits until it has rested for `restMs`. */
async function comeToRest(
  file: string,
  given: { readonly expected: string; readonly restMs: number; readonly signal: AbortSignal },
): Promise<Whole | Exclude<ReadClaim, { kind: 'read' | 'changed' }>> {
  let { expected } = given;
  for (;;) {
    if (given.signal.aborted) return { kind: 'left' };
    const opened = await openClaimed(file).catch(insteadOf('ENOENT', null));
    if (opened === null) return { kind: 'gone' };
    if (opened.kind === 'refused') return { kind: 'refused', why: [opened.why], fault: 'content' };
    await opened.handle.close();
    if (opened.stamp === expected) return { kind: 'whole', stamp: expected };
    expected = opened.stamp;
    await sleep(given.restMs, given.signal);
  }
}

/** `null`: it changed meanwhile. */
async function readOnce(
  file: string,
  { job, run, stamp }: { readonly job: Job; readonly run: Run | null; readonly stamp: string },
): Promise<ReadClaim | null> {
  try {
    const facts = await surveyFor(job, file);
    if (facts.stamp !== stamp) return null;
    if (run !== null && run.sha256 !== facts.sha256) return { kind: 'changed', run, stamp };
    checkColumns(job, facts.source);
    return { kind: 'read', facts, job };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const opened = await openClaimed(file).catch(insteadOf('ENOENT', null));
    if (opened?.kind === 'open') await opened.handle.close();
    if (opened?.kind !== 'open' || opened.stamp !== stamp) return null;
    return run === null
      ? { kind: 'refused', why: error.problems, fault: 'content' }
      : { kind: 'changed', run, stamp };
  }
}

/**
 * Throws what doesn't fit the job. Where no column is known the first line may be a record, and a
 * note must not quote personal data.
 */
function checkColumns(job: Job, source: SourceInfo): void {
  try {
    mappingFor(job.definition, source);
  } catch (error) {
    if (!(error instanceof UsageError) || !isTable(source)) throw error;
    const { columns } = source;
    const unknown = error.all.filter(
      (problem) => typeof problem === 'string' && problem.startsWith('column "'),
    );
    const isUnknown = (column: string, at: number) =>
      String(unknown[at] ?? '').startsWith(`column "${column}"`);
    if (!columns.every(isUnknown)) throw error;
    throw new UsageError(
      `not one of the ${columns.length} columns that its line ${source.headerLine} names is known to the job ${job.name}: expected the header of such a file there; put the column names above the records`,
    );
  }
}
