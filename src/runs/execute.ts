/**
 * A run on its way in this process, from where it stands to its end or to where it stops: its rows are read and
 * followed, its user sees how it gets on, rows in doubt are looked up, and its report is written.
 */

import { createRunInput } from '../ledger/reruns.ts';
import { messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { countSettled } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import { isHomeRemoved, REMOVED } from '../redis/embedded.ts';
import { writeSummary } from '../report/report.ts';
import type { Summary } from '../report/summary.ts';
import { reportDirectory, type TargetSession } from '../session.ts';
import { BrokenOffError } from './broken-off-error.ts';
import { followRun } from './follow.ts';
import { lookUpAtEnd } from './look-up.ts';
import { createProgress, type Progress } from './progress.ts';
import { waitToEnd } from './redis-wait.ts';
import { reportOf } from './report.ts';
import type { RowSource } from './rows.ts';
import { createServiceNotice } from './service-notice.ts';
import { definitionOf, serviceReport } from './status.ts';

/** A run as this process left it, and its summary. */
export type Executed = { readonly run: Run; readonly summary: Summary };

/** Takes a registered run as far as it goes and reports it. */
export async function executeToEnd(run: Run, rows: RowSource, session: TargetSession): Promise<Executed> {
  // Where no Redis is named the ledger lies in the home: without it a summary would only say what is not known any more.
  const isLost = () => session.env.redis === null && isHomeRemoved(session.env.home);
  try {
    const ended = await lookUpAtEnd(await executeRun(run, rows, session), session);
    if (isLost() && !isOver(ended)) throw new Error(REMOVED);
    return { run: ended, summary: await reportOf(ended, session) };
  } catch (error) {
    if (isLost()) throw new BrokenOffError(REMOVED, { isLost: true, cause: error });
    if (error instanceof UsageError) throw error;
    throw new BrokenOffError(messageOf(error), { cause: error });
  }
}

const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };

/** Follows a run, reading its rows where nobody else does, until nothing more happens to it here. */
export async function executeRun(
  run: Run,
  rows: RowSource,
  session: TargetSession,
  /** `isQuiet`: several runs share the terminal, so none shows its progress. */
  { isQuiet = false }: { readonly isQuiet?: boolean } = {},
): Promise<Run> {
  const { io, env, clock, ledger } = session;
  const { keys, store } = ledger.of(run.target);
  const definition = await definitionOf(run, ledger);
  const progress = isQuiet ? NO_PROGRESS : createProgress(io, run, clock.now);
  const { target } = run;
  const notice = createServiceNotice(io, { target, read: () => serviceReport(ledger, target) }, clock.now);
  const before = countSettled(run.outcomes);
  const ticker = createSummaryTicker(reportDirectory(env, run.id), clock.now);
  const onProgress = (now: Run) => {
    notice.update(countSettled(now.outcomes) === before);
    if (now.reason !== 'window') progress.update(now, notice.isWaiting());
    // A run that is over gets its whole report, and no summary before it.
    if (!isOver(now)) ticker.update(now);
  };
  try {
    await followRun({ run, definition, rows, onProgress }, session);
    // The report speaks of rows in flight too: they are settled first.
    await session.delivery.halt(run.id);
    const ended = (await waitToEnd(() => store.get(run.id), io)) ?? run;
    if (ended.reason === 'service-away') await notice.gaveUp();
    if (ended.reason === 'service-hold') await notice.heldOff();
    if (isOver(ended)) await waitToEnd(createRunInput(ledger.redis, keys, run.id).drop, io);
    return ended;
  } finally {
    progress.stop();
    await ticker.stop();
  }
}

const SUMMARY_EVERY_MS = 2_000;

/** Keeps `summary.json` fresh while a run is running. */
function createSummaryTicker(directory: string, now: () => number) {
  let last = Number.NEGATIVE_INFINITY;
  let writing: Promise<unknown> = Promise.resolve();
  let idle = true;
  return {
    update(run: Run) {
      if (!idle || now() - last < SUMMARY_EVERY_MS) return;
      last = now();
      idle = false;
      writing = writeSummary({ run, directory, now: () => new Date() }).finally(() => {
        idle = true;
      });
      // A full disk must not stop the sending; the report at the end says it.
      writing.catch(() => undefined);
    },
    /** Resolves when the last writing is done: the whole report is written after it. */
    async stop() {
      await Promise.allSettled([writing]);
    },
  };
}
