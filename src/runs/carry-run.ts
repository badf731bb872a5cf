import { isDeepStrictEqual } from 'node:util';
import type { RunDesk } from '../cli/run-desk.ts';
import { createRunInput } from '../ledger/run-input.ts';
import { createRunView } from '../ledger/run-view.ts';
import { createSharedWeather } from '../ledger/weather.ts';
import { say, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { exitCodeOf, isOver, type Run } from '../model/run.ts';
import { readSummary, writeReport } from '../report/report.ts';
import { type Summary, summarize } from '../report/summary.ts';
import { renderSummary } from '../report/words.ts';
import { reportDirectory } from '../session.ts';
import { BrokenOffError } from './broken-off.ts';
import { followRun } from './follow-run.ts';
import { lookUpAtEnd } from './look-up-run.ts';
import { openIntake } from './open-intake.ts';
import { createProgress, type Progress } from './progress.ts';
import type { RowSource } from './row-source.ts';
import { createServiceNotice } from './service-notice.ts';
import { createSummaryTicker } from './summary-ticker.ts';
import { tellOverBar } from './tell-over-bar.ts';

const INTERRUPTED_EXIT = 4;
const REPORT_TRIES = 3;
const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };

/** Takes a registered run to its end, or to where it stops, reports it, and answers the exit status. */
export async function carryToEnd(run: Run, source: RowSource, desk: RunDesk): Promise<number> {
  try {
    const ended = await lookUpAtEnd(await carryRun(run, source, desk), desk);
    return close(ended, await reportOf(ended, desk), desk);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new BrokenOffError(`${message}\nTo go on: ${desk.io.typed}`, { cause: error });
  }
}

/** Says of a run that was over before what became of it, and answers its exit status. */
export async function reportAgain(run: Run, desk: RunDesk): Promise<number> {
  return close(run, await knownReport(run, desk), desk);
}

/** The report of a run that was over before: as it was written then, where it is true. */
export async function knownReport(run: Run, desk: RunDesk): Promise<Summary> {
  // A person may be mending the files of a run that is over: they are not written again where they are.
  const known = await readSummary(reportDirectory(desk.env, run.id));
  const isTrue =
    known !== null && known.state === run.state && isDeepStrictEqual(known.outcomes, run.outcomes);
  return isTrue ? known : writeTrueReport(run, desk);
}

/** Follows a run, reading its rows where nobody else does, until nothing more happens to it here. */
export async function carryRun(run: Run, source: RowSource, desk: RunDesk): Promise<Run> {
  const { env, io, log, ledger, membership, delivery, flags } = desk;
  const { keys, store } = ledger.of(run.target);
  const intake = await openIntake(run, source, desk);
  const progress = flags.quiet === true ? NO_PROGRESS : createProgress(io, run, () => performance.now());
  const weather = createSharedWeather(ledger.redis, keys);
  const notice = createServiceNotice(io, { run, read: weather.read }, () => performance.now());
  const ticker = createSummaryTicker(reportDirectory(env, run.id), () => performance.now());
  try {
    await followRun({
      id: run.id,
      store,
      holder: membership.gate.member,
      stopAfter: intake.stopAfter,
      window: intake.window,
      before: run.outcomes,
      onTrouble: (what, error) => log.warn(what, { run: run.id, problem: error.message }),
      recoveries: membership.gate.recoveries,
      verify: membership.gate.verify,
      ingest: intake.ingest,
      windUp: intake.windUp,
      sweep: intake.sweep,
      onWindow: (words) => tellOverBar(io, words),
      onProgress(next) {
        notice.update(next);
        if (next.reason !== 'window') progress.update(next, notice.isWaiting());
        // Of a run that is over only the whole report may speak.
        if (!isOver(next)) ticker.update(next);
      },
      now: () => performance.now(),
      interrupted: io.interrupted,
    });
    // The report speaks of rows in flight too: they are settled first.
    await delivery.halt(run.id);
    const ended = (await store.get(run.id)) ?? run;
    if (ended.reason === 'service-away') await notice.gaveUp();
    if (isOver(ended)) await createRunInput(ledger.redis, keys, run.id).drop();
    return ended;
  } finally {
    progress.stop();
    await ticker.stop();
    await intake.close();
  }
}

/** The report of a run that this process has carried as far as it goes. */
export async function reportOf(run: Run, desk: RunDesk): Promise<Summary> {
  // Another process goes on with it: the report is that one's to write.
  const goesOn = run.state === 'running' || (run.state === 'cancelled' && !isOver(run));
  return goesOn ? summarize(run, [], new Date()) : writeTrueReport(run, desk);
}

/** A row in doubt may get its definite outcome while the report is written: then it is written again. */
async function writeTrueReport(run: Run, { env, ledger }: RunDesk): Promise<Summary> {
  const { keys, store } = ledger.of(run.target);
  const directory = reportDirectory(env, run.id);
  let current = run;
  for (let tries = 1; ; tries += 1) {
    const view = createRunView(ledger.redis, keys, current);
    const summary = await writeReport({ run: current, view, directory, now: () => new Date() });
    if (summary.controlTotal.holds || tries === REPORT_TRIES) return summary;
    current = (await store.get(run.id)) ?? current;
  }
}

/** The last words of a run, and its exit status. */
export function close(ended: Run, summary: Summary, { io, env, flags, service }: RunDesk): number {
  const directory = reportDirectory(env, ended.id);
  const job = flags.jobFile === undefined ? {} : { job: `--job-file ${flags.jobFile}` };
  say(
    io,
    flags.json === true
      ? JSON.stringify(summary)
      : renderSummary(summary, { directory, typed: io.typed, ...job }),
  );
  if (isOver(ended)) return summary.exitCode ?? exitCodeOf(ended);
  const problem = service.credentials.problem();
  if (problem !== null) tell(io, problem);
  // For people the summary has it.
  const isSaid = flags.json !== true && (summary.state === 'paused' || summary.state === 'stopped');
  if (!isSaid) for (const line of goingOn(ended, io.typed)) tell(io, line);
  return io.interrupted.aborted ? INTERRUPTED_EXIT : exitCodeOf(ended);
}

/** The commands that go on with a run; the one that was typed comes first, since it may name more than the run. */
function goingOn({ id, state }: Run, typed: string): string[] {
  if (state === 'cancelled') return [`To wind it up: onboard cancel ${id}`];
  const resume = `onboard resume ${id}`;
  return typed.startsWith(resume) ? [`To go on: ${typed}`] : [`To go on: ${typed}`, `      or: ${resume}`];
}
