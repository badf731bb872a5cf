/**
 * A run's report is written once, where the run ends or stops for now or its process is
 * interrupted; until then only the summary is kept fresh.
 */
import { isDeepStrictEqual } from 'node:util';
import { ZodError } from 'zod';
import type { JobDefinition } from '../config/job-definition.ts';
import { knownFields, publicColumns } from '../delivery/service/operations.ts';
import { readHead } from '../engine/ledger/audit.ts';
import { readNotes, readStory } from '../engine/ledger/display.ts';
import type { RunStore } from '../engine/ledger/run-store.ts';
import { createRunView } from '../engine/ledger/run-view.ts';
import { messageOf } from '../lib/errors.ts';
import { isMoving, isOver, type Run } from '../model/run.ts';
import { reportDirectory, type Session, type TargetSession } from '../session.ts';
import { accountOf } from './account.ts';
import { waitToEnd } from './redis-wait.ts';
import type { CauseIds } from './report/causes.ts';
import { readDigest, writeReport, writeSummary } from './report/report.ts';
import { type Summary, summarize } from './report/summary.ts';
import { reportedSummary } from './status.ts';

type ReportSession = Pick<Session, 'env' | 'io' | 'ledger'>;
type FollowSession = ReportSession & Pick<TargetSession, 'clock' | 'log' | 'meter'>;

export type FollowedReport = ReturnType<typeof followReport>;

const SUMMARY_EVERY_MS = 2_000;

export function followReport({ id }: Pick<Run, 'id'>, session: FollowSession) {
  const { log, clock, env, meter } = session;
  const directory = reportDirectory(env, id);
  let writtenAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<unknown> | null = null;
  return {
    /** At each look: keeps the summary fresh. */
    look(run: Run) {
      // A run that is over gets its whole report, and no summary before it.
      if (writing !== null || isOver(run) || clock.now() - writtenAt < SUMMARY_EVERY_MS) return;
      writtenAt = clock.now();
      writing = writeSummary({ run, directory, now: () => new Date() })
        .catch((error: unknown) => {
          // It must not stop the sending; the report at the end says it.
          log.debug('the summary can not be written', { run: id, problem: messageOf(error) });
        })
        .finally(() => {
          writing = null;
        });
    },
    /** As it ended or as this process leaves it; then no more `look`. */
    async finish(run: Run): Promise<Summary> {
      await writing;
      // Another process goes on with the run, and writes its report.
      if (isMoving(run)) return summarize(run, new Date());
      const whole = await writeTrueReport(run, session);
      if (!whole.controlTotal.holds) meter.violated();
      return whole;
    },
  };
}

/** The earlier report of a run that is over, where it is still true of the run and its file. */
export async function knownReport(run: Run, session: ReportSession): Promise<Summary> {
  const known = await reportedSummary(run, reportDirectory(session.env, run.id));
  const isTrue = isDeepStrictEqual(known?.account, await accountOf(run, session.ledger));
  return known !== null && isTrue ? known : writeTrueReport(run, session);
}

/** Waits out a Redis that takes no commands. */
function writeTrueReport(run: Run, session: ReportSession): Promise<Summary> {
  return waitToEnd(() => tryTrueReport(run, session), session.io);
}

const REPORT_TRIES = 3;

/** Written again where a row in doubt got its definite outcome meanwhile. */
async function tryTrueReport(run: Run, session: ReportSession): Promise<Summary> {
  const { store } = session.ledger.of(run.target);
  let current = run;
  for (let tries = 1; ; tries += 1) {
    const summary = await writeReportOf(current, session);
    if (summary.controlTotal.holds || tries === REPORT_TRIES) return summary;
    current = (await store.get(run.id)) ?? current;
  }
}

/** `followed`: files to correct whose changes are in the ledger. */
export async function writeReportOf(
  run: Run,
  { env, io, ledger }: ReportSession,
  given: {
    readonly directory?: string;
    readonly followed?: readonly string[];
    readonly originals?: boolean;
  } = {},
): Promise<Summary> {
  const { followed = [], originals = false } = given;
  const directory = given.directory ?? reportDirectory(env, run.id);
  const { keys, store } = ledger.of(run.target);
  const view = createRunView(ledger.redis, keys, run);
  const definition = await definitionKnown(run, store);
  return writeReport({
    run,
    view,
    directory,
    fields: knownFields(run.operation),
    publicColumns: publicColumns(definition, run.source.columns),
    definition,
    now: () => new Date(),
    followed,
    originals,
    command: io.command ?? 'onboard',
    account: () => accountOf(run, ledger),
    audit: () => readHead(ledger.redis, keys),
    story: () => readStory(ledger.redis, keys, run.id),
    notes: (causes) => readNotes(ledger.redis, keys, causes),
    knownCauses: () => causesBefore(run, env),
  });
}

/** As the report of the delivery before has them, or of the run that the rows come from. */
async function causesBefore({ against, ...run }: Run, env: ReportSession['env']): Promise<CauseIds> {
  const before = against?.run ?? run.parent ?? Object.keys(run.standsFor ?? {})[0];
  if (before === undefined) return null;
  const digest = await readDigest(reportDirectory(env, before));
  if (digest === null || digest.others > 0) return null;
  return new Set(digest.causes.map(({ id }) => id));
}

/** `null` also for a definition that this version refuses: the report is still written. */
export async function definitionKnown(run: Pick<Run, 'id'>, store: RunStore): Promise<JobDefinition | null> {
  return store.definition(run.id).catch((error: unknown) => {
    if (error instanceof ZodError) return null;
    throw error;
  });
}
