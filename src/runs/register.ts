/**
 * How a run begins: it waits for runs of the jobs that it comes after, and its file is registered
 * in the ledger, where it may turn out to be a known run, unfinished or over.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Job } from '../config/job-definition.ts';
import { mappingFor, readFormatOf } from '../delivery/run-mapping.ts';
import { SANDBOX_TARGET, type Service, startSandboxChild } from '../delivery/target.ts';
import { type Canary, whyNotBegun } from '../engine/ledger/run-record.ts';
import { newRunId, type RunStore } from '../engine/ledger/run-store.ts';
import type { Registration } from '../engine/recovery/registration.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { isDeadHere, shownWorker } from '../lib/worker-id.ts';
import { awaitsPerson, isOver, type Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { spaceOf } from '../operations/operations.ts';
import { readChunks } from '../readers/intake/chunks.ts';
import type { Ledger, Session, TargetSession } from '../session.ts';
import { findOrigins } from './origins.ts';
import { waitForReplica } from './replicas.ts';
import { CHUNK_ROWS, type CheckRows, canaryOf, FIRST_ROWS } from './rows.ts';
import { goingOnWith, openRuns, type ShownRun } from './status.ts';
import { deliveryOf } from './unusual.ts';

const POLL_MS = 1_000;

/**
 * Resolves when no run of these jobs is under way at the target; names each awaited run once in
 * each state. False: interrupted.
 */
export async function waitForJobs(
  jobs: readonly string[],
  target: string,
  { ledger, io }: { readonly ledger: Pick<Ledger, 'of'>; readonly io: Io },
): Promise<boolean> {
  const told = new Set<string>();
  for (;;) {
    const waiting = await openRuns(jobs, target, ledger);
    if (waiting.length === 0) return true;
    for (const shown of waiting) {
      const words = waitingWords(shown);
      if (!told.has(words.join())) tell(io, ...words);
      told.add(words.join());
    }
    if (io.interrupted.aborted) return false;
    await sleep(POLL_MS, io.interrupted);
  }
}

export function waitingWords({ run, state }: ShownRun, what = 'Waiting for'): string[] {
  const goOn = goingOnWith(run, state);
  const words = `${what} run ${run.id} of ${run.job} (${state.words}): this job comes after that one.`;
  return goOn === null
    ? [words]
    : [words, `To go on with it: ${goOn}`, `  or end it: onboard cancel ${run.id}`];
}

const REHEARSALS_MAX = 10_000;

/** `isFresh`: as if nothing had been rehearsed, but for the list of runs. */
export async function startStandIn(session: Session, isFresh: boolean): Promise<Service> {
  const { store } = session.ledger.of(SANDBOX_TARGET);
  if (isFresh) {
    const spaces = (await store.list(REHEARSALS_MAX)).flatMap(({ operation }) => spaceOf(operation) ?? []);
    await store.forget(new Set(spaces));
    await rm(join(session.env.home, 'sandbox'), { recursive: true, force: true });
  }
  return startSandboxChild(session.env.home, session.releasers);
}

type NewFile = {
  readonly facts: FileFacts;
  readonly job: Job;
  readonly target: string;
  /** Also where the file was taken to its end before. */
  readonly again: boolean;
  readonly id?: string;
  /** Where files of its kind come from; left out: the file's own folder. */
  readonly folder?: string;
  /** As `NewRun` has it. */
  readonly from?: string | undefined;
  readonly check: CheckRows;
  /** By a plan: throws where the file's run, which is not over, was begun otherwise. */
  readonly goesOn?: (run: Run) => Promise<void>;
};

/** The file's own new run, or the one of the same content and job before; or why it gets none. */
type Registered =
  | { readonly kind: 'new' | 'known'; readonly id: string; readonly told: readonly string[] }
  | { readonly kind: 'refused'; readonly why: readonly string[] };

export async function registerFile(
  file: NewFile,
  { ledger, registration }: Pick<TargetSession, 'ledger' | 'registration'>,
): Promise<Registered> {
  const { job, target, again, check, from } = file;
  const { keys, store } = ledger.of(target);
  const canary = canaryOf(job.definition) ?? (await firstCanary(file, store));
  const { facts } = file;
  const unknown = whyNotBegun(keys.actor, { ...job, target, facts });
  if (unknown !== null) return { kind: 'refused', why: [unknown] };
  for (;;) {
    const createdAt = new Date();
    const id = file.id ?? newRunId(createdAt);
    const { found, delivery, notes, told } = await lookedAt(file, ledger);
    const source = { ...facts.source, notes: [...facts.source.notes, ...notes] };
    if (found !== null && found.refused !== null) return { kind: 'refused', why: found.refused };
    const run = {
      id,
      job: job.name,
      definition: job.definition,
      target,
      // The run may be resumed from any folder.
      facts: { ...facts, path: resolve(facts.path), source },
      chunkRows: CHUNK_ROWS,
      canary,
      createdAt,
      again,
      from,
      ...(found?.origins !== undefined && { origins: found.origins }),
      delivery,
    };
    const known = await runToGoOn(found, file, store);
    if (known !== null) return { kind: 'known', id: known, told };
    const batches = readChunks(facts.path, facts.source, readFormatOf(job.definition));
    const checked = await check(run, batches);
    await ledger.index.add(id, target, createdAt);
    const { kind, id: registered } = await store.register({ ...run, checked }, registration.verified);
    if (kind !== 'new') await ledger.index.remove(id);
    else await waitForReplica(ledger, target);
    // Overtaken: another run took rows meanwhile, perhaps the same ones.
    if (kind !== 'overtaken') return { kind, id: registered, told };
  }
}

/** The run that the file has, which was looked at when it began; `null`: it has none. */
async function runToGoOn(
  found: object | null,
  { facts, job }: NewFile,
  store: RunStore,
): Promise<string | null> {
  if (found !== null) return null;
  return store.ofFile({ sha256: facts.sha256, job: job.name });
}

/** What of the file is beside earlier ones, and what people are told of it. */
async function lookedAt(file: NewFile, ledger: Ledger) {
  const { job, facts, target } = file;
  const { store } = ledger.of(target);
  const found = await originsOf(file, ledger);
  // One that names rows in vain is a file like any other.
  const namesRows = (found?.origins?.origins.size ?? 0) > 0;
  const delivered = { ...file, facts: { ...facts, namesRows } };
  const delivery = found === null ? undefined : await deliveryOf(delivered, ledger);
  const notes = [
    ...mappingFor(job.definition, facts.source).notes,
    ...(await rehearsedBefore(file, store)),
    ...(found?.notes ?? []),
  ];
  // What holds the run back is told as the reason.
  const unusual = delivery === undefined || delivery.isHeld ? [] : delivery.unusual;
  return { found, delivery, notes, told: [...notes, ...unusual] };
}

/** `null`: the file has its run already. */
async function originsOf({ facts, job, target, again, from }: NewFile, ledger: Ledger) {
  const { store } = ledger.of(target);
  const known = await store.ofFile({ sha256: facts.sha256, job: job.name });
  const run = known === null ? null : await store.get(known);
  if (run !== null && !(again && isOver(run))) return null;
  return findOrigins({ file: facts, definition: job.definition, target, from }, ledger);
}

/** Why a rehearsal may skip rows. */
async function rehearsedBefore({ facts, job, target }: NewFile, store: RunStore): Promise<readonly string[]> {
  const before = target === SANDBOX_TARGET ? (await store.ofContent(facts.sha256)).at(-1) : undefined;
  if (before === undefined) return [];
  const how = (await hasChanged(job, before, store)) ? ', sent with another job' : '';
  return [`Known since run ${before}${how}. For an empty stand-in: --sandbox --fresh.`];
}

/** With fewer rows little is lost where all of them fail. */
const WORTH_TRYING_ROWS = 50;

/** A job that never succeeded at this target sends a few rows first, unless it says otherwise. */
async function firstCanary({ facts, job }: NewFile, store: RunStore): Promise<Canary | null> {
  if (job.definition.send.canary !== undefined || facts.rows <= WORTH_TRYING_ROWS) return null;
  return (await store.isProven(job.name)) ? null : { rows: FIRST_ROWS, kind: 'first' };
}

/** Tells the user where the run isn't new. */
export async function beginFile(
  file: NewFile,
  session: Pick<TargetSession, 'ledger' | 'io' | 'registration'>,
): Promise<Run> {
  const registered = await registerFile(file, session);
  if (registered.kind === 'refused') throw new UsageError(registered.why);
  const { kind, id, told } = registered;
  if (kind === 'new') for (const note of told) tell(session.io, note);
  const { io, ledger, registration } = session;
  const { store } = ledger.of(file.target);
  const before = await foundRun(id, store, registration);
  if (kind === 'known' && !isOver(before) && before.state !== 'cancelled') await file.goesOn?.(before);
  if (isOver(before)) {
    tell(
      io,
      `This file was already loaded, as run ${id} (${before.finishedAt ?? ''}): nothing is sent. ` +
        'For another run of it: --again',
    );
    return before;
  }
  if (before.state === 'cancelled') {
    tell(io, `Run ${id} of this file was cancelled: it is wound up now. For another run of it: --again`);
    return before;
  }
  if (kind === 'known' && (await hasChanged(file.job, id, store))) {
    tell(io, `warning: the job definition has changed since; the run goes on with the one it began with.`);
  }
  if (kind === 'known' && file.again) tell(io, againWords(before));
  const run = await setRunning(before, store);
  if (kind === 'known' && !awaitsPerson(run)) tell(io, await goingOn(id, store, io.interrupted));
  return run;
}

function againWords({ id, state, reason }: Run): string {
  const why = reason === null ? '' : ` (${reason})`;
  return (
    `warning: --again changes nothing: run ${id} of this file is ${state}${why}, and ` +
    `another one begins only once it is over. To end it: \`onboard cancel ${id}\`, then give this command again.`
  );
}

/** An unknown run is looked for again after verification: the journals may put it back. */
export async function foundRun(
  id: string,
  store: RunStore,
  { find }: Pick<Registration, 'find'>,
): Promise<Run> {
  const run = await find(() => store.get(id));
  if (run === null) throw new UsageError(goneWords(id));
  return run;
}

/** The same command may send every row once more, since the ledger knows of none. */
function goneWords(id: string): string {
  return (
    `Run ${id} is gone from the ledger: was its Redis emptied? What was sent may not be known here any more: ` +
    'look in the service for the rows of the file before it is loaded again.'
  );
}

const UNREADABLE = 'Its latest answers said nothing of a record';

/** Unless it is wound up or waits for a person; a run without rows is finished by that. */
export async function setRunning(run: Run, store: RunStore): Promise<Run> {
  if (run.state === 'cancelled') return run;
  if (run.reason === 'unreadable-answers') await store.tryOne(UNREADABLE);
  else if (run.state === 'paused') await store.tryNow();
  await store.transition(run.id, run.rows === 0 ? 'finished' : 'running', null);
  return (await store.get(run.id)) ?? run;
}

async function hasChanged({ definition }: Job, run: string, store: RunStore): Promise<boolean> {
  return JSON.stringify(await store.definition(run)) !== JSON.stringify(definition);
}

async function goingOn(id: string, store: RunStore, interrupted: AbortSignal): Promise<string> {
  const owner = await ownerOf({ id }, store, interrupted);
  if (owner === null) return `Going on with run ${id} of this file.`;
  return `Run ${id} of this file is under way in ${shownWorker(owner)}: this process helps to send its rows.`;
}

const OWNER_POLL_MS = 100;

/**
 * The process that reads the run's rows, once a renewed lease shows that it lives; `null`: none.
 * Only after the run was set running: a process about to leave a paused run renews its lease no
 * more.
 */
export async function ownerOf(
  { id }: Pick<Run, 'id'>,
  store: Pick<RunStore, 'leaseOf'>,
  interrupted: AbortSignal,
): Promise<string | null> {
  let last = await store.leaseOf(id);
  // A killed process' lease lasts a while: where its death is known, nothing waits for it.
  if (last !== null && isDeadHere(last.holder)) return null;
  while (last !== null && !interrupted.aborted) {
    await sleep(OWNER_POLL_MS, interrupted);
    const lease = await store.leaseOf(id);
    if (lease !== null && lease.ms > last.ms) return lease.holder;
    last = lease;
  }
  return last?.holder ?? null;
}
