/**
 * A claimed file's way through its job: read to its end once while nobody writes to it, registered as a run under the
 * claim's id, followed to where that run ends or stays, and settled. Every step may be done again, by whichever
 * process has the claim after a kill: the run knows what was sent, and a file that is no longer what its run was made
 * of is not gone on with.
 */
import type { Job } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { surveyFile } from '../intake/survey.ts';
import { insteadOf } from '../lib/errors.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { REASON_ADVICE } from '../model/advice.ts';
import { isOver, type Reason, type Run } from '../model/run.ts';
import { type FileFacts, isTable, type SourceInfo } from '../model/source.ts';
import type { Summary } from '../report/summary.ts';
import { executeRun } from '../runs/execute.ts';
import { lookUpAtEnd } from '../runs/look-up.ts';
import { registerFile } from '../runs/register.ts';
import { knownReport, reportOf } from '../runs/report.ts';
import { fileRows } from '../runs/rows.ts';
import { type Claim, dropClaim, openClaimed } from './claim.ts';
import { type Fault, takenWords } from './note.ts';
import { isOriginalWritten } from './other-file-system.ts';
import { NOT_TAKEN_EXIT, settleChanged, settleDone, settleKnown, settleRefused } from './settle.ts';
import type { Watcher } from './watcher.ts';

/** How far a claimed file got. */
type TakeEnd =
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** Its run has to be gone on with by somebody. */
  | { readonly kind: 'paused'; readonly run: Run }
  /** This process ends, or the claim is another one's: whoever has it next goes on. */
  | { readonly kind: 'left' };

type Take = {
  /** Fires when this process is to end or has lost the claim. */
  readonly signal: AbortSignal;
  /** Told which run it is. */
  onRun(run: string): void;
  /** Whether this process carries that run on for another file. */
  isUnderWay(run: string): boolean;
};

/** Takes a claimed file through its job as far as it goes. */
export async function takeClaim(claim: Claim, watcher: Watcher, take: Take): Promise<TakeEnd> {
  const read = await readClaim(claim, watcher, take.signal);
  switch (read.kind) {
    case 'left':
      return read;
    case 'gone':
      await dropClaim(claim);
      watcher.teller.line(`${claim.info.path}: was removed from ${claim.folder} by somebody`);
      return { kind: 'ended', exitCode: NOT_TAKEN_EXIT };
    case 'refused':
      return { kind: 'ended', exitCode: await settleRefused(claim, read, watcher) };
    case 'changed':
      return { kind: 'ended', exitCode: await settleChanged(claim, read.stamp, read.run, watcher) };
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
  const { store, teller, target } = watcher;
  const session = { ...watcher.session, io: { ...watcher.session.io, interrupted: signal } };
  const { id } = await registerFile({ facts, job, target, again: false, id: claim.id }, session);
  // Another file with the same content is on its way here: its end says what this one's is.
  while (id !== claim.id && isUnderWay(id) && !signal.aborted) await sleep(WAIT_MS, signal);
  onRun(id);
  const run = await store.get(id);
  if (run === null) throw new Error(`run ${id} is gone from the ledger`);
  if (isOver(run)) {
    const exitCode =
      id === claim.id
        ? await settleDone(claim, facts.stamp, { run, summary: await knownReport(run, session) }, watcher)
        : await settleKnown(claim, facts.stamp, run, watcher);
    return { kind: 'ended', exitCode };
  }
  if (!mayGoOn(run)) return { kind: 'paused', run };
  if (run.state !== 'cancelled') await store.transition(id, run.rows === 0 ? 'finished' : 'running', null);
  teller.line(takenWords(claim.info.path, run));
  const ended = await follow((await store.get(id)) ?? run, facts, session);
  const summary = await reportOf(ended, session);
  return (
    (await settleRun(claim, facts, { run: ended, summary }, watcher)) ??
    (signal.aborted ? { kind: 'left' } : { kind: 'paused', run: ended })
  );
}

/** What a person decided, or has to look at, is not gone on with by itself. */
const LEFT_ALONE: readonly (Reason | null)[] = ['requested', 'file-changed'];

function mayGoOn({ state, reason }: Run): boolean {
  return state !== 'stopped' && !(state === 'paused' && LEFT_ALONE.includes(reason));
}

/** The run where it ends or stays, with its rows in doubt looked up where the definition says how. */
async function follow(run: Run, facts: FileFacts, session: Watcher['session']): Promise<Run> {
  if (isOver(run)) return run;
  try {
    return await lookUpAtEnd(await executeRun(run, fileRows(facts), session, { isQuiet: true }), session);
  } catch (error) {
    const left = error instanceof UsageError ? await session.ledger.of(run.target).store.get(run.id) : null;
    // It could not be read any more, as its run says now.
    if (left?.reason === 'file-changed') return left;
    throw error;
  }
}

/** `null`: the run is not over. */
async function settleRun(
  claim: Claim,
  { stamp }: FileFacts,
  { run, summary }: { readonly run: Run; readonly summary: Summary },
  watcher: Watcher,
): Promise<TakeEnd | null> {
  if (!isOver(run) && run.reason !== 'file-changed') return null;
  const isWhole = isOver(run) && (await fileStamp(claim.file)) === stamp && !(await isOriginalWritten(claim));
  const exitCode = isWhole
    ? await settleDone(claim, stamp, { run, summary }, watcher)
    : await settleChanged(claim, stamp, run, watcher);
  return { kind: 'ended', exitCode };
}

/** What a person is told of a file whose run waits for somebody. */
export function pausedWords({ info }: Claim, { id, state, reason }: Run): string {
  const advice = reason === null ? '' : ` ${REASON_ADVICE[reason]}`;
  return `${info.path}: run ${id} is ${state}${reason === null ? '' : ` (${reason})`}.${advice} To go on: onboard resume ${id}`;
}

/** What reading a claimed file once to its end came to. */
type ReadClaim =
  | { readonly kind: 'read'; readonly facts: FileFacts; readonly job: Job }
  | { readonly kind: 'refused'; readonly why: readonly string[]; readonly fault: Fault }
  /** It has a run already, of what it was before. */
  | { readonly kind: 'changed'; readonly run: Run; readonly stamp: string }
  /** Somebody removed it. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'left' };

/** Reads a claimed file; one that somebody still writes to is waited for and read again. */
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

/** As its run has it, else as it is by now. */
async function jobOf({ id, info }: Claim, run: Run | null, { store, book }: Watcher): Promise<Job | null> {
  const registered = run === null ? null : await store.definition(id);
  if (registered !== null) return { name: info.job, definition: registered };
  return book.jobs().find(({ name }) => name === info.job) ?? null;
}

type Whole = { readonly kind: 'whole'; readonly stamp: string };

/** Waits until the file has been left alone for as long as it takes, where it is not what it was when it was claimed. */
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

/** `null`: it was changed meanwhile. */
async function readOnce(
  file: string,
  { job, run, stamp }: { readonly job: Job; readonly run: Run | null; readonly stamp: string },
): Promise<ReadClaim | null> {
  try {
    const facts = await surveyFile(file, job.definition.format);
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

/** Where not one column is known the first line may be a record: a note must not quote people's data. */
function checkColumns(job: Job, source: SourceInfo): void {
  try {
    mappingFor(job.definition, source);
  } catch (error) {
    if (!(error instanceof UsageError) || !isTable(source)) throw error;
    const { columns } = source;
    const isUnknown = (column: string) =>
      error.problems.some((problem) => problem.startsWith(`column "${column}"`));
    if (!columns.every(isUnknown)) throw error;
    throw new UsageError(
      `not one of the ${columns.length} columns that its line ${source.headerLine} names is known to the job ${job.name}: expected the header of such a file there; put the column names above the records`,
    );
  }
}
