/**
 * What is going on in a home, for `onboard status`: runs that are not over, files on their way, schedules and
 * windows. It goes by the decisions that a watcher goes by, and changes nothing.
 */
import type { Job } from '../config/job-definition.ts';
import { createJobWindow } from '../delivery/job-window.ts';
import type { BreakerReport } from '../ledger/breaker.ts';
import { isOver } from '../model/run.ts';
import { createReleases, createSchedules, nextTime } from '../queue/schedules.ts';
import { latestRuns, type ShownRun, serviceReport } from '../runs/status.ts';
import type { Ledger } from '../session.ts';
import { listClaims } from './claim.ts';
import { listEntries } from './entry.ts';
import { inboxesOf } from './job-book.ts';
import { busyJobs, claimedWords } from './look.ts';
import { createWindows, schedulesOf } from './schedule.ts';
import { type Placed, reasonWords, type SortedOut, sortOut } from './sort-out.ts';

/** What `onboard status --json` prints. */
export type Overview = {
  readonly target: string;
  /** How each service is doing that is concerned: that of `target` first. */
  readonly services: ReadonlyArray<BreakerReport & { readonly target: string }>;
  readonly runs: readonly ShownRun[];
  readonly processing: ReadonlyArray<{
    readonly file: string;
    readonly job: string;
    readonly claim: string;
    readonly target: string;
  }>;
  readonly waiting: ReadonlyArray<{
    readonly file: string;
    readonly inbox: string;
    readonly job: string | null;
    readonly why: string;
    readonly words: string;
  }>;
  readonly schedules: ReadonlyArray<{
    readonly job: string;
    readonly cron: string;
    readonly timezone: string;
    readonly next: string | null;
    /** Whether a watcher has set it, so that it fires. */
    readonly isSet: boolean;
  }>;
  readonly windows: ReadonlyArray<{
    readonly job: string;
    readonly window: string;
    readonly timezone: string;
    readonly isOpen: boolean;
    readonly opensAt: string;
  }>;
};

type OverviewOf = {
  readonly ledger: Ledger;
  readonly target: string;
  readonly home: string;
  readonly processing: string;
  readonly jobs: readonly Job[];
};

const RUNS_MAX = 200;
/** A file that has not changed for this long counts as whole: this command has not watched it; the default of `--rest`. */
const REST_MS = 2_000;

/** Looks at the ledger and the folders; changes nothing. */
export async function lookOver(given: OverviewOf): Promise<Overview> {
  const { ledger, target, jobs } = given;
  const { queuePrefix } = ledger.of(target).keys;
  const schedules = createSchedules(ledger.redis, queuePrefix, () => undefined);
  try {
    const next = await schedules.next();
    const runs = await openRuns(ledger);
    const processing = await claimedFiles(given.processing);
    return {
      target,
      services: await servicesOf(ledger, [
        target,
        ...runs.map(({ run }) => run.target),
        ...processing.map((file) => file.target),
      ]),
      runs,
      processing,
      waiting: waitingFiles(await sortedOut(given), next),
      schedules: schedulesOf(jobs).map(({ job, cron, timezone }) => ({
        job,
        cron,
        timezone,
        next: (next.get(job) ?? nextTime({ cron, timezone }, new Date()))?.toISOString() ?? null,
        isSet: next.has(job),
      })),
      windows: jobs.flatMap(windowOf),
    };
  } finally {
    await schedules.close();
  }
}

function servicesOf(ledger: Ledger, targets: readonly string[]): Promise<Overview['services']> {
  const each = [...new Set(targets)].map(async (target) => ({
    target,
    ...(await serviceReport(ledger, target)),
  }));
  return Promise.all(each);
}

async function openRuns(ledger: Ledger): Promise<Overview['runs']> {
  return (await latestRuns(ledger, RUNS_MAX)).filter(({ run }) => !isOver(run));
}

async function claimedFiles(processing: string): Promise<Overview['processing']> {
  const claims = await listClaims(processing);
  return claims.flatMap(({ id, info }) =>
    info === null ? [] : [{ file: info.path, job: info.job, claim: id, target: info.target }],
  );
}

async function sortedOut({ ledger, target, home, jobs, processing }: OverviewOf): Promise<SortedOut> {
  const { keys } = ledger.of(target);
  const releases = await createReleases(ledger.redis, keys.queuePrefix).all();
  const looks = await Promise.all(
    inboxesOf(jobs, home).map(async (inbox) => {
      const { entries } = await listEntries(inbox.folder).catch(() => ({ entries: [] }));
      return { inbox, entries };
    }),
  );
  const claims = await listClaims(processing);
  const claimed = claimedWords(claims.filter(({ info }) => info?.target === target));
  return sortOut(looks, {
    restLeft: ({ entry }) => Math.max(0, entry.changedMs + REST_MS - Date.now()),
    broken: new Set(),
    isHeldByWindow: createWindows(() => new Date()),
    releasedAt: (job) => releases.get(job) ?? null,
    busy: await busyJobs({ jobs, looks, claimed }, ledger, target),
  });
}

function waitingFiles(
  { wait, take, refuse }: SortedOut,
  next: ReadonlyMap<string, Date>,
): Overview['waiting'] {
  const shown = ({ entry, inbox }: Placed) => ({
    file: entry.path,
    inbox: inbox.folder,
  });
  return [
    ...take.map((one) => ({
      ...shown(one),
      job: one.job.name,
      why: 'watcher',
      words: 'for a watcher to take it',
    })),
    ...wait.map((one) => ({ ...shown(one), job: one.job, why: one.why.kind, words: reasonWords(one, next) })),
    ...refuse.map((one) => ({
      ...shown(one),
      job: null,
      why: 'refused',
      words: `to be refused: ${one.why}`,
    })),
  ];
}

function windowOf({ name, definition }: Job): Overview['windows'] {
  const window = createJobWindow(definition.window, () => new Date());
  if (window === null) return [];
  return [
    {
      job: name,
      window: window.text,
      timezone: window.timeZone,
      isOpen: window.isOpen(),
      opensAt: window.opensAt().toISOString(),
    },
  ];
}
