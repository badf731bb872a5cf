import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../config/job-definition.ts';
import { followRun } from '../delivery/follow-run.ts';
import { newRunId } from '../ledger/run-id.ts';
import { createRunView } from '../ledger/run-view.ts';
import { UsageError } from '../lib/usage-error.ts';
import { exitCodeOf, type Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { readSummary } from '../report/read-summary.ts';
import { renderSummary } from '../report/render-summary.ts';
import { type Summary, summarize } from '../report/summary.ts';
import { writeReport } from '../report/write-report.ts';
import { type Ledger, reportDirectory } from '../wiring.ts';
import { BrokenOffError } from './broken-off.ts';
import { say, tell } from './io.ts';
import { openIntake } from './open-intake.ts';
import { createProgress } from './progress.ts';
import type { RunDesk } from './run-desk.ts';
import { createSummaryTicker } from './summary-ticker.ts';

/** Rows of one BullMQ job. */
const CHUNK_ROWS = 100;
const INTERRUPTED_EXIT = 4;
const REPORT_TRIES = 3;

/** Takes one file to its end and answers the exit status of its run. */
export async function runFile(facts: FileFacts, desk: RunDesk): Promise<number> {
  const registered = await register(facts, desk);
  const { run, isOver } = await begin(registered, desk);
  try {
    const ended = isOver ? run : await carryOn(run, facts, desk);
    return close(ended, await summaryOf(ended, isOver, desk), desk);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new BrokenOffError(`${message}\nTo go on: ${desk.io.typed}`, { cause: error });
  }
}

/** The last words of a run, and its exit status. */
function close(ended: Run, summary: Summary, { io, env, flags, service }: RunDesk): number {
  const directory = reportDirectory(env, ended.id);
  const job = flags.jobFile === undefined ? {} : { job: `--job-file ${flags.jobFile}` };
  say(io, flags.json === true ? JSON.stringify(summary) : renderSummary(summary, { directory, ...job }));
  if (ended.state === 'finished' || ended.state === 'cancelled') return summary.exitCode ?? exitCodeOf(ended);
  const problem = service.credentials.problem();
  if (problem !== null) tell(io, problem);
  tell(io, `To go on: ${io.typed}`);
  return io.interrupted.aborted ? INTERRUPTED_EXIT : exitCodeOf(ended);
}

async function summaryOf(run: Run, isOver: boolean, desk: RunDesk): Promise<Summary> {
  // Another process goes on with it: the report is that one's to write.
  if (run.state === 'running') return summarize(run, [], new Date());
  // A person may be mending the files of a run that is over: they are not written again where they are.
  const known = isOver ? await readSummary(reportDirectory(desk.env, run.id)) : null;
  const isTrue =
    known !== null && known.state === run.state && isDeepStrictEqual(known.outcomes, run.outcomes);
  return isTrue ? known : report(run, desk);
}

type Registered = { readonly kind: 'new' | 'known'; readonly id: string };

async function register(facts: FileFacts, desk: RunDesk): Promise<Registered> {
  const { ledger, service, job, flags } = desk;
  const createdAt = new Date();
  const id = newRunId(createdAt);
  await ledger.index.add(id, service.target, createdAt);
  const registered = await ledger.of(service.target).store.register({
    id,
    job: job.name,
    definition: job.definition,
    target: service.target,
    facts,
    chunkRows: CHUNK_ROWS,
    createdAt,
    again: flags.again === true,
  });
  if (registered.kind === 'known') await ledger.index.remove(id);
  return registered;
}

type Begun = { readonly run: Run; readonly isOver: boolean };

/** The run in the state it begins or goes on in, with a word to the user where it isn't new. */
async function begin({ kind, id }: Registered, { io, ledger, service, job }: RunDesk): Promise<Begun> {
  const { store } = ledger.of(service.target);
  const before = await store.get(id);
  if (before === null) throw new Error(`run ${id} is gone from the ledger`);
  if (before.state === 'finished' || before.state === 'cancelled') {
    tell(
      io,
      `This file was already taken to its end as run ${id} (${before.finishedAt ?? ''}): nothing is sent. ` +
        'For another run of it: --again',
    );
    return { run: before, isOver: true };
  }
  if (kind === 'known') tell(io, `Going on with run ${id} of this file.`);
  if (kind === 'known' && (await definitionChanged(id, job, store))) {
    tell(io, `warning: the job definition has changed since; the run goes on with the one it began with.`);
  }
  if (before.rows === 0) await store.transition(id, 'finished', null);
  else await store.transition(id, 'running', null);
  return { run: (await store.get(id)) ?? before, isOver: false };
}

async function definitionChanged(
  id: string,
  job: Job,
  store: ReturnType<Ledger['of']>['store'],
): Promise<boolean> {
  return JSON.stringify(await store.definition(id)) !== JSON.stringify(job.definition);
}

async function carryOn(run: Run, facts: FileFacts, desk: RunDesk): Promise<Run> {
  const { env, io, log, ledger, service, delivery } = desk;
  const { store } = ledger.of(service.target);
  const intake = await openIntake(run, facts, desk);
  const progress = createProgress(io, run, () => performance.now());
  const ticker = createSummaryTicker(reportDirectory(env, run.id), () => performance.now());
  try {
    await followRun({
      id: run.id,
      store,
      holder: `${hostname()}:${process.pid}`,
      stopAfter: intake.stopAfter,
      before: run.outcomes,
      onTrouble: (what, error) => log.warn(what, { run: run.id, problem: error.message }),
      ingest: intake.ingest,
      sweep: intake.sweep,
      onProgress(next) {
        progress.update(next);
        ticker.update(next);
      },
      now: () => performance.now(),
      interrupted: io.interrupted,
    });
    // The report speaks of rows in flight too: they are settled first.
    await delivery.halt(run.id);
    return (await store.get(run.id)) ?? run;
  } finally {
    progress.stop();
    await ticker.stop();
    await intake.close();
  }
}

/** A row in doubt may get its definite outcome while the report is written: then it is written again. */
async function report(run: Run, { env, ledger, service }: RunDesk): Promise<Summary> {
  const { keys, store } = ledger.of(service.target);
  const directory = reportDirectory(env, run.id);
  let current = run;
  for (let tries = 1; ; tries += 1) {
    const view = createRunView(ledger.redis, keys, current);
    const summary = await writeReport({ run: current, view, directory, now: () => new Date() });
    if (summary.controlTotal.holds || tries === REPORT_TRIES) return summary;
    current = (await store.get(run.id)) ?? current;
  }
}
