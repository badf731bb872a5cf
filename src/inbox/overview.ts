/**
 * What is going on in a home, for `onboard status`: runs that are not over, files on their way, schedules and
 * windows. It goes by the decisions that a watcher goes by, and changes nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import { createJobWindow } from '../delivery/job-window.ts';
import { definitionProblems } from '../delivery/run-mapping.ts';
import { baseUrlOf, SANDBOX_TARGET } from '../delivery/target.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOver } from '../model/run.ts';
import { nextTime } from '../queue/schedule-times.ts';
import { createReleases, createSchedules } from '../queue/schedules.ts';
import { latestRuns, serviceReport } from '../runs/status.ts';
import type { Ledger, Session } from '../session.ts';
import { listClaims } from './claim.ts';
import { listEntries } from './entry.ts';
import { inboxesOf, openJobBook } from './job-book.ts';
import { busyJobs, claimedWords } from './look.ts';
import { findNeeds } from './needs.ts';
import { createWindows, schedulesOf } from './schedule.ts';
import { type Placed, reasonWords, type SortedOut, sortOut } from './sort-out.ts';

/** What `onboard status --json` prints. */
export type Overview = Awaited<ReturnType<typeof lookOver>>;

const RUNS_MAX = 200;
/** A file that has not changed for this long counts as whole, as with the default of `--rest`: this command has not watched it. */
const REST_MS = 2_000;

/** What is going on where there is no ledger yet. */
export function emptyOverview(env: Environment, sandbox: boolean): Overview {
  return {
    needs: { runs: [], refused: [] },
    ledger: env.home,
    target: targetOf(env, sandbox),
    services: [],
    runs: [],
    processing: [],
    waiting: [],
    schedules: [],
    windows: [],
  };
}

/** The stand-in, or the service of the environment where it names one. */
export function targetOf({ baseUrl }: Environment, sandbox: boolean): string {
  return sandbox || baseUrl === null ? SANDBOX_TARGET : baseUrlOf(baseUrl);
}

type Home = {
  readonly ledger: Ledger;
  readonly target: string;
  readonly home: string;
  readonly processing: string;
  readonly jobs: readonly Job[];
};

/** Looks at the ledger and the folders of a home, for one target; `warn`: told of definitions that can't be used. */
export async function lookOver(
  { ledger, env }: Pick<Session, 'ledger' | 'env'>,
  target: string,
  warn: (text: string) => void,
) {
  const processing = join(env.home, 'processing');
  const jobs = await jobsOf(env, warn);
  const home: Home = { ledger, target, home: env.home, processing, jobs };
  const { queuePrefix } = ledger.of(target).keys;
  const schedules = createSchedules(ledger.redis, queuePrefix, () => undefined, true);
  try {
    const next = await schedules.next();
    const newest = await latestRuns(ledger, RUNS_MAX);
    const runs = newest.filter(({ run }) => !isOver(run));
    const claimed = await claimedFiles(processing);
    return {
      needs: await findNeeds(newest, env.home),
      ledger: ledger.name,
      target,
      services: await servicesOf(ledger, [
        target,
        ...runs.map(({ run }) => run.target),
        ...claimed.map((file) => file.target),
      ]),
      runs,
      processing: claimed,
      waiting: waitingFiles(await sortedOut(home), next),
      schedules: schedulesOf(jobs).map(({ job, cron, timezone }) => ({
        job,
        cron,
        timezone,
        next: (next.get(job) ?? nextTime({ cron, timezone }, new Date()))?.toISOString() ?? null,
        // Whether a watcher has set it, so that it fires.
        isSet: next.has(job),
      })),
      windows: jobs.flatMap(windowOf),
    };
  } finally {
    await schedules.close();
  }
}

/** Definitions that can't be used are told, and the rest is shown all the same. */
async function jobsOf({ jobsDirectory, home }: Environment, warn: (text: string) => void) {
  try {
    return (await openJobBook(jobsDirectory, home, definitionProblems)).jobs();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Where there is no inbox nobody watches, and a folder without jobs is in nobody's way.
    if (existsSync(join(home, 'inbox'))) for (const problem of error.problems) warn(problem);
    return [];
  }
}

/** How each service is doing, the first one first. */
function servicesOf(ledger: Ledger, targets: readonly string[]) {
  const each = [...new Set(targets)].map(async (target) => ({
    target,
    ...(await serviceReport(ledger, target)),
  }));
  return Promise.all(each);
}

async function claimedFiles(processing: string) {
  const claims = await listClaims(processing);
  return claims.flatMap(({ id, info }) =>
    info === null ? [] : [{ file: info.path, job: info.job, claim: id, target: info.target }],
  );
}

async function sortedOut({ ledger, target, home, jobs, processing }: Home): Promise<SortedOut> {
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

/** `why` for programs, `words` for people. */
function waitingFiles({ wait, take, refuse }: SortedOut, next: ReadonlyMap<string, Date>) {
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

function windowOf({ name, definition }: Job) {
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
