import { hostname } from 'node:os';
import type { Job } from '../config/job-definition.ts';
import { followRun } from '../delivery/follow-run.ts';
import { newRunId } from '../ledger/run-id.ts';
import { createRunView } from '../ledger/run-view.ts';
import { exitCodeOf, type Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { readSummary } from '../report/read-summary.ts';
import { renderSummary } from '../report/render-summary.ts';
import type { Summary } from '../report/summary.ts';
import { writeReport } from '../report/write-report.ts';
import { type Ledger, reportDirectory } from '../wiring.ts';
import { say, tell } from './io.ts';
import { openIntake } from './open-intake.ts';
import { createProgress } from './progress.ts';
import type { RunDesk } from './run-desk.ts';
import { createSummaryTicker } from './summary-ticker.ts';

/** Rows of one BullMQ job. */
const CHUNK_ROWS = 100;
const INTERRUPTED_EXIT = 4;

/** Takes one file to its end and answers the exit status of its run. */
export async function runFile(facts: FileFacts, desk: RunDesk): Promise<number> {
  const { io, flags } = desk;
  const registered = await register(facts, desk);
  const { run, isOver } = await begin(registered, desk);
  const ended = isOver ? run : await carryOn(run, facts, desk);
  const directory = reportDirectory(desk.env, ended.id);
  // A person may be mending the files of a run that is over: they are not written again where they are.
  const known = isOver ? await readSummary(directory) : null;
  const summary = known ?? (await report(ended, desk));
  const job = flags.jobFile === undefined ? {} : { job: `--job-file ${flags.jobFile}` };
  say(io, flags.json === true ? JSON.stringify(summary) : renderSummary(summary, { directory, ...job }));
  if (ended.state === 'finished' || ended.state === 'cancelled') return summary.exitCode ?? exitCodeOf(ended);
  const problem = desk.service.credentials.problem();
  if (problem !== null) tell(io, problem);
  tell(io, `To go on: ${io.typed}`);
  return io.interrupted.aborted ? INTERRUPTED_EXIT : exitCodeOf(ended);
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
  const { env, io, ledger, service, delivery } = desk;
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

async function report(run: Run, { env, ledger, service }: RunDesk): Promise<Summary> {
  const { keys } = ledger.of(service.target);
  const view = createRunView(ledger.redis, keys, run);
  return writeReport({ run, view, directory: reportDirectory(env, run.id), now: () => new Date() });
}
