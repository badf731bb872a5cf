import type { Job } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { surveyFile } from '../intake/survey.ts';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import { type FileFacts, isTable, type SourceInfo } from '../model/source.ts';
import { openClaimed } from './check-claimed.ts';
import type { Claim } from './claim.ts';
import type { InboxDesk } from './desk.ts';
import { errorCode } from './error-code.ts';
import type { Fault } from './sender-words.ts';

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
export async function readClaim(claim: Claim, desk: InboxDesk, signal: AbortSignal): Promise<ReadClaim> {
  const { ledger, service } = desk.runs;
  const run = await ledger.of(service.target).store.get(claim.id);
  const job = await jobOf(claim, run, desk);
  if (job === null)
    return { kind: 'refused', why: [`there is no job ${claim.info.job} any more`], fault: 'job' };
  let expected = claim.info.stamp;
  for (;;) {
    const rest = await comeToRest(claim.file, { expected, restMs: desk.restMs, signal });
    if (rest.kind !== 'whole') return rest;
    const read = await readOnce(claim.file, { job, run, stamp: rest.stamp });
    if (read !== null) return read;
    expected = rest.stamp;
  }
}

/** As its run has it, else as it is by now. */
async function jobOf({ id, info }: Claim, run: Run | null, { runs, book }: InboxDesk): Promise<Job | null> {
  const registered = run === null ? null : await runs.ledger.of(run.target).store.definition(id);
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
    const opened = await openClaimed(file).catch(whereGone);
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
    const opened = await openClaimed(file).catch(whereGone);
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

function whereGone(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
