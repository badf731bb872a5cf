/**
 * What is going on in a home, for `onboard status`: open runs, files, schedules and windows, by the
 * same decisions as a watcher's, and what waits for a person. Changes nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { Job } from '../../config/job-definition.ts';
import { createJobWindow } from '../../delivery/job-window.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import { baseUrlOf, SANDBOX_TARGET } from '../../delivery/target.ts';
import type { AccountMemory } from '../../engine/ledger/account.ts';
import { createSchedules, nextTime } from '../../engine/queue/schedules.ts';
import type { InboxNumbers } from '../../faces/metrics/registry.ts';
import { batchesOf } from '../../lib/batches.ts';
import { insteadOf } from '../../lib/errors.ts';
import { countOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type Account, toCorrect as rowsToCorrect } from '../../model/account.ts';
import { OF_SENT } from '../../model/issue.ts';
import { isOver, type Run } from '../../model/run.ts';
import { fullDisk, type Ledger, type Session } from '../../session.ts';
import { accountsAt } from '../account.ts';
import { warningAdvice } from '../report/advice.ts';
import type { Summary } from '../report/summary.ts';
import {
  goingOnWith,
  type RunToSeeTo,
  runsToSeeTo,
  type ShownRun,
  serviceReport,
  summaryOf,
} from '../status.ts';
import { listEntries, NOTE_ENDING, passedOverBy } from './entry.ts';
import { inboxesOf, openJobBook } from './job-book.ts';
import { lookInto, sortedOut } from './look.ts';
import { knownReplies } from './replies.ts';
import { schedulesOf } from './schedule.ts';
import { type Placed, pathForJobs, reasonWords, type SortedOut } from './sort-out.ts';
import type { Watcher } from './watcher.ts';

export type Overview = Awaited<ReturnType<typeof lookOver>>;

/** Nobody has watched a file here: it counts as whole this long after its last change. */
const REST_MS = 2_000;
const UNWATCHED = {
  restLeft: ({ entry }: Placed) => Math.max(0, entry.changedMs + REST_MS - Date.now()),
  isBroken: false,
};

export function emptyOverview(env: Environment, sandbox: boolean): Overview {
  return {
    needs: { disk: null, runs: [], refused: [] },
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

/** The sandbox, or the environment's service where it names one. */
export function targetOf({ baseUrl }: Environment, sandbox: boolean): string {
  return sandbox || baseUrl === null ? SANDBOX_TARGET : baseUrlOf(baseUrl);
}

/** For one target; `warn`: gets definitions that can't be used. */
export async function lookOver(
  { ledger, env }: Pick<Session, 'ledger' | 'env'>,
  target: string,
  warn: (text: string) => void,
  memory?: AccountMemory,
) {
  const jobs = await jobsOf(env, warn);
  const found = await lookInto(inboxesOf(jobs, env.home), env.home);
  const { claims } = found;
  const looking = { home: env.home, target, replies: knownReplies() };
  const { queuePrefix } = ledger.of(target).keys;
  const schedules = createSchedules(ledger.redis, queuePrefix, () => undefined, true);
  try {
    const next = await schedules.next();
    const newest = await runsToSeeTo(ledger);
    const isTold = ({ run }: ShownRun) => target === SANDBOX_TARGET || run.target !== SANDBOX_TARGET;
    const runs = newest.filter(({ run }) => !isOver(run));
    return {
      needs: {
        disk: await fullDisk(env),
        ...(await findNeeds(newest.filter(isTold), env.home, (run) =>
          accountsAt(run.target, ledger, memory).accountOf(run.id),
        )),
      },
      ledger: ledger.name,
      target,
      services: await servicesOf(ledger, [
        target,
        ...runs.map(({ run }) => run.target),
        ...claims.map(({ info }) => info.target),
      ]),
      runs,
      processing: claims.map(({ id, info: { path, job, target: to } }) => ({
        file: path,
        job,
        claim: id,
        target: to,
      })),
      waiting: waitingFiles(await sortedOut({ ...found, ...looking, given: UNWATCHED }, ledger), next),
      schedules: schedulesOf(jobs).map(({ job, cron, timezone }) => ({
        job,
        cron,
        timezone,
        next: (next.get(job) ?? nextTime({ cron, timezone }, new Date()))?.toISOString() ?? null,
        // A watcher has set it, so it fires.
        isSet: next.has(job),
      })),
      windows: jobs.flatMap(windowOf),
    };
  } finally {
    await schedules.close();
  }
}

/** Reports definitions that can't be used, and shows the rest. */
async function jobsOf({ jobsDirectory, home }: Environment, warn: (text: string) => void) {
  try {
    return (await openJobBook(jobsDirectory, home, definitionProblems)).jobs();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Without an inbox nobody watches, and a folder without jobs does no harm.
    if (existsSync(join(home, 'inbox'))) for (const problem of error.problems) warn(problem);
    return [];
  }
}

function servicesOf(ledger: Ledger, targets: readonly string[]) {
  const each = [...new Set(targets)].map(async (target) => ({
    target,
    ...(await serviceReport(ledger, target)),
  }));
  return Promise.all(each);
}

export function countFiles({ book, home }: Pick<Watcher, 'book' | 'home'>) {
  return async (): Promise<InboxNumbers> => {
    const { looks, claims } = await lookInto(inboxesOf(book.jobs(), home), home);
    const waiting = looks.flatMap(({ inbox, entries }) =>
      entries.filter((entry) => pathForJobs({ inbox, entry }) !== null),
    );
    return {
      waiting: agesOf(waiting.map(({ changedMs }) => changedMs)),
      processing: agesOf(claims.map(({ info }) => Date.parse(info.claimedAt))),
    };
  };
}

function agesOf(times: readonly number[]) {
  const oldest = times.reduce((least, time) => Math.min(least, time), Date.now());
  return { files: times.length, oldestSeconds: Math.max(0, Date.now() - oldest) / 1000 };
}

/** `why` for programs, `words` for people. */
function waitingFiles({ wait, take, refuse }: SortedOut, next: ReadonlyMap<string, Date>) {
  const shown = ({ entry, inbox }: Placed, job: string | null, why: string, words: string) => ({
    file: entry.path,
    inbox: inbox.folder,
    job,
    why,
    words,
  });
  return [
    ...take.map((one) => shown(one, one.job.name, 'watcher', 'for a watcher to take it')),
    ...wait.map((one) => shown(one, one.job, one.why.kind, reasonWords(one, next))),
    ...refuse.map((one) => shown(one, null, 'refused', `to be refused: ${one.why}`)),
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

/** Runs whose accounts are read beside each other: each takes memory meanwhile. */
const AT_ONCE = 16;

type AccountOf = (run: Run) => Promise<Account>;

export async function findNeeds(newest: readonly RunToSeeTo[], home: string, accountOf: AccountOf) {
  const reports = join(home, 'reports');
  const runs = [];
  for (const some of batchesOf(newest, AT_ONCE)) {
    const needy = await Promise.all(some.map((shown) => needyRun(shown, reports, accountOf)));
    runs.push(...needy.flat());
  }
  return { runs, refused: await refusedFiles(join(home, 'failed')) };
}

/**
 * None: it waits for nobody. `toCorrect`, `notSent`: open rows of its file that nobody has taken
 * up; `differing`: rows of known records that say otherwise than what was sent; `sharing`: rows
 * that were sent with an account that another row has.
 */
async function needyRun({ isLatest, ...shown }: RunToSeeTo, reports: string, accountOf: AccountOf) {
  const { run, state } = shown;
  const inDoubt = run.outcomes['in-doubt'];
  const account = isOver(run) ? await accountOf(run) : null;
  const toCorrect = account === null ? 0 : rowsToCorrect(account);
  const notSent = account === null ? 0 : account.notSent;
  const waits = state.owner !== 'alive' && goingOnWith(run, state) !== null;
  const isRight = account?.holds !== false;
  const isNeedy = waits || inDoubt + toCorrect + notSent > 0 || !isRight;
  const mayDiffer = isLatest && run.rows > 0;
  if (!isNeedy && !mayDiffer) return [];

  const report = join(reports, run.id);
  const summary = await summaryOf(run, report);
  const { differing, sharing } = mayDiffer ? countTold(summary) : NOTHING_TOLD;
  if (!isNeedy && differing + sharing === 0) return [];
  return [{ ...shown, inDoubt, toCorrect, notSent, differing, sharing, account, summary, report }];
}

const NOTHING_TOLD = { differing: 0, sharing: 0 };

function countTold({ topWarnings }: Summary) {
  const countOfThose = (isMeant: (code: string) => boolean) => {
    const meant = topWarnings.filter(({ code }) => isMeant(code));
    return meant.reduce((sum, { count }) => sum + count, 0);
  };
  return {
    differing: countOfThose((code) => warningAdvice(code) !== '' && !OF_SENT.has(code)),
    sharing: countOfThose((code) => OF_SENT.has(code)),
  };
}

/** Of `sharing`. */
export function sharingWords(count: number): string {
  return `${countOf(count, 'row')} sent although another row has the account: results.csv names it`;
}

/** Of `differing`. */
export function differingWords(count: number): string {
  return `${countOf(count, 'row')} of known records not sent: other content, or not known`;
}

async function refusedFiles(folder: string) {
  const { entries } = await listEntries(folder).catch(insteadOf('ENOENT', { entries: [] }));
  const paths = entries.map(({ path }) => path);
  const notes = new Set(paths.filter((path) => path.endsWith(NOTE_ENDING)));
  const files = entries
    .filter(({ path }) => !notes.has(path) && passedOverBy(path).length === 0)
    .sort((a, b) => b.changedMs - a.changedMs)
    .map(({ path }) => path);
  return files.map((path) => {
    const note = path + NOTE_ENDING;
    return { file: join(folder, path), note: notes.has(note) ? join(folder, note) : null };
  });
}
