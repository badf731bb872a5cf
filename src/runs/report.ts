/**
 * When a run's report is written: ahead, while the run goes on, and what is left of it at the end, or the whole of it where
 * what was written ahead is not what the ledger says any more; and when one that is there stays as it is.
 */

import { isDeepStrictEqual } from 'node:util';
import { ZodError } from 'zod';
import type { JobDefinition } from '../config/job-definition.ts';
import { readHistory } from '../ledger/history.ts';
import { readNotes } from '../ledger/notes.ts';
import type { RunStore } from '../ledger/run-store.ts';
import { createRunView, hasOnlyGrown } from '../ledger/run-view.ts';
import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/waiting.ts';
import { isOver, type Run } from '../model/run.ts';
import { type GrowingReport, growReport, readSummary, writeReport, writeSummary } from '../report/report.ts';
import { type Summary, summarize } from '../report/summary.ts';
import { knownFields } from '../service/operations.ts';
import { reportDirectory, type Session, type TargetSession } from '../session.ts';
import { waitToEnd } from './redis-wait.ts';

type ReportSession = Pick<Session, 'env' | 'io' | 'ledger'>;
type FollowSession = ReportSession & Pick<TargetSession, 'clock' | 'log' | 'meter' | 'registration'>;

/** The report of a run that this process follows. */
export type FollowedReport = {
  /** To be told of the run at each look: its summary is kept fresh, and where this process reads the run, what has been closed is written ahead. */
  look(run: Run, isReader: boolean): void;
  /** The report of the run as far as this process has followed it; `look` is not called any more. */
  finish(run: Run): Promise<Summary>;
  /** Leaves nothing unfinished behind. */
  close(): Promise<void>;
};

const SUMMARY_EVERY_MS = 2_000;
/** After trouble with what is written ahead, a full disk for one, it is begun anew no sooner than this. */
const ANEW_AFTER_MS = 60_000;

/** Does nothing before the first look. */
export function followReport(run: Run, session: FollowSession): FollowedReport {
  const { log, clock, env, io, ledger, meter, registration } = session;
  const directory = reportDirectory(env, run.id);
  const onTrouble = (error: unknown) => {
    // It must not stop the sending; the report at the end says it.
    log.debug('the report can not be written ahead', { run: run.id, problem: messageOf(error) });
  };
  const { epoch } = registration;
  let ahead: { readonly recoveries: number; readonly report: GrowingReport } | null = null;
  let notBefore = Number.NEGATIVE_INFINITY;
  const giveUp = async () => {
    const given = ahead;
    ahead = null;
    await given?.report.discard();
  };
  const grow = async () => {
    // What was closed before the ledger went back in time may be open again.
    if (ahead !== null && ahead.recoveries !== epoch.recoveries()) await giveUp();
    const view = createRunView(ledger.redis, ledger.of(run.target).keys, run);
    ahead ??= {
      recoveries: epoch.recoveries(),
      report: await growReport({
        run,
        view,
        directory,
        fields: knownFields(run.operation),
        definition: await definitionKnown(run, ledger.of(run.target).store),
        command: io.command,
        ...toldOf(run, ledger),
        now: () => new Date(),
      }),
    };
    await ahead.report.grow();
  };
  const growing = oneAtATime(async () => {
    await grow().catch(async (error: unknown) => {
      onTrouble(error);
      notBefore = clock.now() + ANEW_AFTER_MS;
      await giveUp();
    });
  });
  let summaryAt = Number.NEGATIVE_INFINITY;
  const summary = oneAtATime<Run>(async (now) => {
    await writeSummary({ run: now, directory, now: () => new Date() }).catch(onTrouble);
  });
  const stop = () => Promise.all([growing.ended(), summary.ended()]);
  /** What was written ahead, and all that is missing; `null`: it is not true any more. */
  const finishAhead = async (now: Run) => {
    if (ahead === null || !(await ahead.report.complete())) return null;
    return (await hasOnlyGrown(epoch, ahead.recoveries)) ? ahead.report.publish(now) : null;
  };
  return {
    look(now, isReader) {
      if (isReader && clock.now() >= notBefore) growing.begin(now);
      // A run that is over gets its whole report, and no summary before it.
      if (isOver(now) || clock.now() - summaryAt < SUMMARY_EVERY_MS) return;
      summaryAt = clock.now();
      summary.begin(now);
    },
    async finish(now) {
      await stop();
      if (goesOnElsewhere(now)) return summarize(now, [], new Date());
      const written = await finishAhead(now).catch(onTrouble);
      if (written?.controlTotal.holds === true) return written;
      await giveUp();
      const whole = await writeTrueReport(now, session);
      if (!whole.controlTotal.holds) meter.violated();
      return whole;
    },
    async close() {
      await stop();
      await giveUp();
    },
  };
}

/** Another process goes on with the run, and writes its report. */
function goesOnElsewhere(run: Run): boolean {
  return run.state === 'running' || (run.state === 'cancelled' && !isOver(run));
}

/** A piece of work that is left out while it is under way. */
function oneAtATime<T>(work: (what: T) => Promise<void>) {
  let running: Promise<void> | null = null;
  return {
    begin(what: T) {
      running ??= work(what).finally(() => {
        running = null;
      });
    },
    ended: async () => void (await running),
  };
}

/** The report of a run that was over before: as it was written then, where it is true. */
export async function knownReport(run: Run, session: ReportSession): Promise<Summary> {
  const known = await readSummary(reportDirectory(session.env, run.id));
  const isTrue =
    known !== null && known.state === run.state && isDeepStrictEqual(known.outcomes, run.outcomes);
  return isTrue ? known : writeTrueReport(run, session);
}

/** A Redis that takes no commands is waited out. */
function writeTrueReport(run: Run, session: ReportSession): Promise<Summary> {
  return waitToEnd(() => tryTrueReport(run, session), session.io);
}

const REPORT_TRIES = 3;

/** A row in doubt may get its definite outcome while the report is written: then it is written again. */
async function tryTrueReport(run: Run, session: ReportSession): Promise<Summary> {
  const { store } = session.ledger.of(run.target);
  let current = run;
  for (let tries = 1; ; tries += 1) {
    const summary = await writeReportOf(current, session);
    if (summary.controlTotal.holds || tries === REPORT_TRIES) return summary;
    current = (await store.get(run.id)) ?? current;
  }
}

/** Writes the report from the ledger as it is now; `followed`: files to correct whose changes are in the ledger. */
export async function writeReportOf(
  run: Run,
  { env, io, ledger }: ReportSession,
  given: {
    readonly directory?: string;
    readonly followed?: readonly string[];
    readonly share?: boolean;
  } = {},
): Promise<Summary> {
  const { directory = reportDirectory(env, run.id), followed = [], share = false } = given;
  const { keys, store } = ledger.of(run.target);
  const view = createRunView(ledger.redis, keys, run);
  return writeReport({
    run,
    view,
    directory,
    fields: knownFields(run.operation),
    definition: await definitionKnown(run, store),
    now: () => new Date(),
    followed,
    share,
    command: io.command,
    ...toldOf(run, ledger),
  });
}

/** What the ledger has beside the rows. */
function toldOf({ id, target }: Run, { redis, of }: ReportSession['ledger']) {
  const { keys } = of(target);
  return {
    history: () => readHistory(redis, keys, id),
    notes: (causes: readonly string[]) => readNotes(redis, keys, causes),
  };
}

/** `null` also for one of an earlier version which this one refuses: the report is written all the same. */
async function definitionKnown(run: Run, store: RunStore): Promise<JobDefinition | null> {
  return store.definition(run.id).catch((error: unknown) => {
    if (error instanceof ZodError) return null;
    throw error;
  });
}

const ELSEWHERE_WAIT_MS = 10_000;
const ELSEWHERE_POLL_MS = 100;

/** The report of a cancelled run by the process that wound it up, which should be there within seconds; `null`: there is none. */
export async function reportFromElsewhere(
  run: Run,
  { env, io }: Pick<Session, 'env' | 'io'>,
): Promise<Summary | null> {
  const deadline = performance.now() + ELSEWHERE_WAIT_MS;
  while (performance.now() < deadline && !io.interrupted.aborted) {
    const summary = await readSummary(reportDirectory(env, run.id));
    if (summary?.state === 'cancelled' && summary.open === 0 && summary.files.length > 0) return summary;
    await sleep(ELSEWHERE_POLL_MS, io.interrupted);
  }
  return null;
}
