/**
 * Takes a run in this process to its end or to where it stops: its rows are read and followed, its
 * user sees progress, rows in doubt are looked up, and its report is written.
 */

import { type Act, recordAct } from '../engine/ledger/audit.ts';
import type { BreakerReport } from '../engine/ledger/breaker.ts';
import { createRunInput } from '../engine/ledger/reruns.ts';
import { problemOfHome } from '../engine/redis/embedded.ts';
import { messageOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOver, type Run } from '../model/run.ts';
import { actingAs, type TargetSession } from '../session.ts';
import { tellEnd } from './events.ts';
import { followRun } from './follow.ts';
import { lookUpAtEnd } from './look-up.ts';
import { createProgress } from './progress.ts';
import { BrokenOffError, refusalWords, waitToEnd } from './redis-wait.ts';
import { type FollowedReport, followReport, knownReport } from './report.ts';
import type { RowSource } from './rows.ts';
import { createServiceNotice } from './service-notice.ts';
import { definitionOf, type Executed, serviceReport } from './status.ts';

/**
 * Executes a registered run, reports it and notifies of its end; also for a run that is over, whose
 * process may have been killed before it notified.
 */
export async function executeToEnd(
  run: Run,
  rows: RowSource,
  asked: TargetSession,
  options: ExecuteOptions = {},
): Promise<Executed> {
  // From here on nobody does anything: it happens.
  const session = actingAs(asked);
  // The ledger is in the home where no Redis is named: without it a summary would be wrong.
  const lost = () => (session.env.redis === null ? problemOfHome(session.env.home) : null);
  if (isOver(run)) return tellEnd({ run, summary: await knownReport(run, session) }, session);
  await session.notifier?.follow(run.id);
  const report = followReport(run, session);
  try {
    const followed = await executeRun(run, rows, report, session, options).catch((error: unknown) =>
      pausedForFile(run, error, session),
    );
    const ended = options.looksUp === false ? followed : await lookUpAtEnd(followed, session);
    if (lost() !== null && !isOver(ended)) throw new Error('the home is gone');
    return tellEnd({ run: ended, summary: await report.finish(ended) }, session);
  } catch (error) {
    const why = lost();
    if (why !== null) throw new BrokenOffError(why, { isLost: true, cause: error });
    // Refused before the run was followed: nothing is under way.
    if (error instanceof UsageError || refusalWords(error) !== null) throw error;
    throw new BrokenOffError(messageOf(error), { cause: error });
  }
}

/** Where it is paused for a file that can't be read any more. */
async function pausedForFile(run: Run, error: unknown, { io, ledger }: TargetSession): Promise<Run> {
  const left = error instanceof UsageError ? await ledger.of(run.target).store.get(run.id) : null;
  if (!(error instanceof UsageError) || left?.reason !== 'file-changed') throw error;
  tell(io, ...error.problems);
  return left;
}

type ExecuteOptions = {
  /** Several runs share the terminal, so none shows its progress. */
  readonly isQuiet?: boolean;
  /** False: rows in doubt stay so, and nobody is asked. */
  readonly looksUp?: boolean;
};

/** Reads the run's rows where nobody else does, until nothing more happens to it here. */
async function executeRun(
  run: Run,
  rows: RowSource,
  report: Pick<FollowedReport, 'look'>,
  session: TargetSession,
  { isQuiet = false }: ExecuteOptions = {},
): Promise<Run> {
  const { io, clock, ledger, log } = session;
  const { outages } = session.redisNotice;
  const { keys, store } = ledger.of(run.target);
  const definition = await definitionOf(run, ledger, session.registration.find);
  const progress = isQuiet ? null : createProgress(io, run, clock.now);
  let reads = false;
  const note = (act: Act) => {
    const onTrouble = (error: unknown) => log.warn('the audit', { problem: messageOf(error) });
    recordAct(ledger.redis, keys, { ...act, run: run.id }).catch(onTrouble);
  };
  let outagesTold = outages.length;
  const tellOutages = () => {
    for (const { from, until } of outages.slice(outagesTold))
      note({ what: 'redis-away', of: { from: from.toISOString(), until: until.toISOString() } });
    outagesTold = outages.length;
  };
  const { target } = run;
  const service = {
    target,
    read: () => serviceReport(ledger, target),
    pausesIn: () => session.delivery.pausesIn(run.id),
    /** Only by the process that reads the run, so that it is noted once. */
    turned(state: BreakerReport['state'], why: string, until: string) {
      if (reads) note({ what: `service-${state}`, of: { why, until } });
    },
  };
  const notice = createServiceNotice(io, service, clock.now);
  const onProgress = (now: Run, isReader: boolean) => {
    notice.update();
    if (now.reason !== 'window') progress?.update(now, notice.isWaiting());
    report.look(now);
    reads = isReader;
    if (reads) tellOutages();
  };
  try {
    await followRun({ run, definition, rows, onProgress }, session);
    // Rows in flight are settled before the report.
    await session.delivery.halt(run.id);
    const ended = (await waitToEnd(() => store.get(run.id), io)) ?? run;
    if (ended.state === 'paused' && ended.problem !== undefined) tell(io, ended.problem);
    if (ended.reason === 'service-away') await notice.gaveUp();
    if (ended.reason === 'service-hold') await notice.heldOff();
    if (isOver(ended)) await waitToEnd(createRunInput(ledger.redis, keys, run.id).drop, io);
    return ended;
  } finally {
    progress?.stop();
  }
}
