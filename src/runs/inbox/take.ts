/**
 * A claimed file's way through its job: read once, registered as a run under the claim's id,
 * followed to where the run ends or stays, and settled. After a kill the next watcher repeats every
 * step: the run knows what was sent. Only the file that was found whole, by its stamp, is sent.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Job } from '../../config/job-definition.ts';
import { mappingFor } from '../../delivery/run-mapping.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import { type Actor, atPage } from '../../model/audit.ts';
import { EXIT } from '../../model/exit.ts';
import { countUnsuccessful } from '../../model/outcome.ts';
import { isForPeople, isOver, type Reason, type Run } from '../../model/run.ts';
import type { FileFacts, SourceInfo } from '../../model/source.ts';
import { nameOf } from '../../operations/own.ts';
import { NoColumnKnown } from '../../readers/mapping/mapping.ts';
import { actingAs } from '../../session.ts';
import { accountOf } from '../account.ts';
import { createRowCheck } from '../check/file.ts';
import { executeToEnd } from '../execute.ts';
import { foundRun, registerFile, setRunning } from '../register.ts';
import { goOnCommand, reasonAdvice, waysOut, wayWords } from '../report/advice.ts';
import { requestWords } from '../report/words.ts';
import { fileRows, surveyFor } from '../rows.ts';
import { type Claim, claimedStamp, dropClaim, returnFile, undoClaim } from './claim.ts';
import { folderFrom, inboxesOf, isInboxOf, uploadsOf } from './job-book.ts';
import { type Refusal, takenWords } from './note.ts';
import { awayName, settle } from './settle.ts';
import type { Watcher } from './watcher.ts';

type TakeEnd =
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'paused'; readonly run: Run }
  /** This process ends, and the next start goes on; or the file is in its inbox again. */
  | { readonly kind: 'left' };

type Take = {
  onRun(run: string): void;
  isUnderWay(run: string): boolean;
};

export async function takeClaim(claim: Claim, watcher: Watcher, take: Take): Promise<TakeEnd> {
  const read = await readClaim(claim, watcher);
  switch (read.kind) {
    case 'gone':
      return endWithoutFile(claim, watcher);
    case 'torn':
      return waitForWriter(claim, watcher);
    case 'refused':
    case 'changed':
      return { kind: 'ended', exitCode: await settle(claim, read, watcher) };
    case 'read':
      return runFileOf(claim, read.facts, read.job, watcher, take);
    default:
      return read satisfies never;
  }
}

/** A kill left the claim before its file came, or after it had left. */
async function endWithoutFile(claim: Claim, { places, teller, store }: Watcher): Promise<TakeEnd> {
  const isInInbox = await undoClaim(claim);
  const away = awayName(claim.name, claim.id);
  const isAway = [places.done, places.failed].some((folder) => existsSync(join(folder, away)));
  const run = await store.get(claim.id);
  const isRemoved = run !== null && isOver(run) && (await store.definition(claim.id))?.keep === 'none';
  await dropClaim(claim);
  if (isInInbox || isAway || isRemoved) return { kind: 'left' };
  teller.line(`${claim.info.path}: was removed from ${claim.folder} by somebody`);
  return { kind: 'ended', exitCode: EXIT.notStarted };
}

const WRITTEN_WHILE_TAKEN = 'it was written to while it was taken: it was not whole then';

/** Nothing was sent of the file: it rests in its inbox once more. */
async function waitForWriter(claim: Claim, watcher: Watcher): Promise<TakeEnd> {
  if (await returnFile(claim)) {
    await dropClaim(claim);
    watcher.teller.line(`${claim.info.path}: is still written to, and waits in its inbox`);
    return { kind: 'left' };
  }
  const refused = { kind: 'refused', why: [WRITTEN_WHILE_TAKEN], fault: 'content' } as const;
  return { kind: 'ended', exitCode: await settle(claim, refused, watcher) };
}

const WAIT_MS = 200;

async function runFileOf(
  claim: Claim,
  facts: FileFacts,
  job: Job,
  watcher: Watcher,
  { onRun, isUnderWay }: Take,
): Promise<TakeEnd> {
  const { store, target, session } = watcher;
  const { interrupted } = session.io;
  const { by, maker, again = false } = claim.info;
  const actor = by === undefined ? ({ ...session.env.actor, via: 'inbox' } as const) : atPage(by, maker);
  const asked = actingAs(session, actor);
  const check = createRowCheck(session.ledger);
  const folder = dirname(claim.info.path);
  const from = fromOf(claim, watcher);
  const file = { facts, job, target, again, id: claim.id, folder, from, check };
  const registered = await registerFile(file, asked);
  if (registered.kind === 'refused')
    return { kind: 'ended', exitCode: await settle(claim, { ...registered, fault: 'content' }, watcher) };
  const { id } = registered;
  // Another file with the same content is in work here: its end decides for this one.
  const isOther = () => id !== claim.id && isUnderWay(id);
  while (isOther() && !interrupted.aborted) await sleep(WAIT_MS, interrupted);
  onRun(id);
  const run = await foundRun(id, store, session.registration);
  if (isOver(run)) {
    if (id !== claim.id) return endWith(claim, { kind: 'known', run }, job, watcher);
    // The watcher of a lost machine can't tell it any more.
    await session.notifier?.follow(id);
    const executed = await executeToEnd(run, fileRows(facts), session);
    return endWith(claim, { kind: 'done', ...executed }, job, watcher);
  }
  return mayGoOn(run, actor) ? followToEnd(run, claim, { facts, job }, watcher) : { kind: 'paused', run };
}

/** `undefined`: an operator has uploaded it. */
function fromOf({ inbox, info }: Claim, { home }: Watcher): string | undefined {
  return inbox === uploadsOf(home) ? undefined : folderFrom(home, inbox, info.path);
}

async function followToEnd(
  run: Run,
  claim: Claim,
  { facts, job }: { readonly facts: FileFacts; readonly job: Job },
  watcher: Watcher,
): Promise<TakeEnd> {
  const { store, teller, session } = watcher;
  const current = await setRunning(run, store);
  teller.line(takenWords(claim.info.path, run));
  const executed = await executeToEnd(current, fileRows(facts), session, { isQuiet: true });
  const ended = executed.run;
  if (isOver(ended)) return endWith(claim, { kind: 'done', ...executed }, job, watcher);
  if (ended.reason === 'file-changed') return endWith(claim, { kind: 'changed', run: ended }, job, watcher);
  return session.io.interrupted.aborted ? { kind: 'left' } : { kind: 'paused', run: ended };
}

async function endWith(
  claim: Claim,
  end: Parameters<typeof settle>[1] & { readonly run: Run },
  job: Job,
  watcher: Watcher,
): Promise<TakeEnd> {
  const stamp = await claimedStamp(claim);
  const isWhole = stamp === null || stamp === claim.info.stamp;
  const isNeedless = isWhole && (await isNeedlessAfter(end.run, job, watcher));
  const actual = isWhole ? end : ({ kind: 'changed', run: end.run } as const);
  return { kind: 'ended', exitCode: await settle(claim, actual, watcher, isNeedless) };
}

/** Whether the job wants no file kept, and no row is open that it could be needed for. */
async function isNeedlessAfter(run: Run, { definition }: Job, { session }: Watcher): Promise<boolean> {
  if (definition.keep !== 'none' || countUnsuccessful(run.outcomes) > 0) return false;
  const account = await accountOf(run, session.ledger);
  return account?.holds === true && account.open === 0;
}

/** Only a person resumes runs that are paused for these. */
const LEFT_ALONE: readonly (Reason | null)[] = ['requested', 'file-changed', 'unusual', 'adopted'];

/** A machine that gives a file again lets nothing go that a person has to look at. */
function mayGoOn(run: Run, { via }: Actor): boolean {
  const { state, reason } = run;
  if (via === 'machine' && isForPeople(run)) return false;
  return state !== 'stopped' && !(state === 'paused' && LEFT_ALONE.includes(reason));
}

export function pausedWords({ info }: Claim, run: Run): string {
  const { id, state, reason, request, operation, problem } = run;
  const advice =
    reason === null ? '' : ` ${reasonAdvice(reason, { id, operation: nameOf(operation), problem })}`;
  const why = reason === null ? '' : ` (${reason})`;
  const by = request === undefined ? '' : ` by ${requestWords(request)}`;
  const ways = waysOut(run).map(wayWords);
  const goOn = ways.length === 0 ? [`To go on: ${goOnCommand(run)}`] : ways;
  return `${info.path}: run ${id} is ${state}${why}${by}.${advice} ${goOn.join('. ')}`;
}

type ReadClaim =
  | { readonly kind: 'read'; readonly facts: FileFacts; readonly job: Job }
  | ({ readonly kind: 'refused' } & Refusal)
  /** The file has a run of its earlier content. */
  | { readonly kind: 'changed'; readonly run: Run }
  /** Somebody still writes to it, or has put something else in its place; it has no run. */
  | { readonly kind: 'torn' }
  | { readonly kind: 'gone' };

async function readClaim(claim: Claim, watcher: Watcher): Promise<ReadClaim> {
  const run = await watcher.store.get(claim.id);
  const job = await jobOf(claim, run, watcher);
  const before = await claimedStamp(claim);
  if (before === null) return { kind: 'gone' };
  if (job === null)
    return { kind: 'refused', why: [`there is no job ${claim.info.job} any more`], fault: 'job' };
  const { stamp } = claim.info;
  const read = before === stamp ? await surveyed(claim, job) : null;
  const isWhole = read !== null && (await claimedStamp(claim)) === stamp;
  if (isWhole && read.kind === 'refused' && run === null) return read;
  // A write may keep size and time: a run goes on with its own content alone.
  const isOfRun = read?.kind === 'read' && (run === null || run.sha256 === read.facts.sha256);
  if (isWhole && isOfRun && read.facts.stamp === stamp) return read;
  return run === null ? { kind: 'torn' } : { kind: 'changed', run };
}

/** The run's definition, else the current one of a job that has this inbox. */
async function jobOf({ id, inbox, info }: Claim, run: Run | null, watcher: Watcher): Promise<Job | null> {
  const { store, book, home } = watcher;
  const registered = run === null ? null : await store.definition(id);
  if (registered !== null) return { name: info.job, definition: registered };
  const isOfJob = isInboxOf({ inbox, job: info.job }, inboxesOf(book.jobs(), home));
  if (!isOfJob && inbox !== uploadsOf(home)) return null;
  return book.jobs().find(({ name }) => name === info.job) ?? null;
}

async function surveyed(
  { file }: Claim,
  job: Job,
): Promise<Extract<ReadClaim, { kind: 'read' | 'refused' }>> {
  try {
    const facts = await surveyFor(job, file);
    checkColumns(job, facts.source);
    return { kind: 'read', facts, job };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'refused', why: error.problems, fault: 'content' };
  }
}

/** Where no column is known the first line may be a record: a note must not quote it. */
function checkColumns(job: Job, source: SourceInfo): void {
  try {
    mappingFor(job.definition, source);
  } catch (error) {
    if (!(error instanceof NoColumnKnown)) throw error;
    throw new UsageError(
      `not one of the ${source.columns.length} columns on its line ` +
        `${source.headerLine} is known to the job ${job.name}: expected ` +
        'the column names there',
    );
  }
}
