import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { openJobBook } from '../inbox/job-book.ts';
import { lookOver, type Overview } from '../inbox/overview.ts';
import { countOf, type Io, printable, say, shownTime, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { openRows } from '../model/run.ts';
import { withLedger } from '../runs/find-run.ts';
import { definitionProblems } from '../runs/fitting-job.ts';
import { goingOnWith } from '../runs/run-state.ts';
import { SANDBOX_TARGET } from '../runs/sandbox-child.ts';
import { serviceWords } from '../runs/service-words.ts';
import { baseUrlOf, type Ledger } from '../session.ts';

export type OverviewFlags = { readonly json?: boolean; readonly sandbox?: boolean };

/** `onboard status` without a run: what is under way, what waits and why, and when it goes on. */
export async function showOverview(flags: OverviewFlags, io: Io): Promise<number> {
  return withLedger(io, async (ledger, env) => {
    const overview = await overviewOf(ledger, env, { flags, io });
    if (flags.json === true) say(io, JSON.stringify(forMachines(overview), null, 2));
    else for (const line of linesOf(overview)) say(io, printable(line));
    return 0;
  });
}

async function overviewOf(
  ledger: Ledger,
  env: Environment,
  { flags, io }: { readonly flags: OverviewFlags; readonly io: Io },
): Promise<Overview> {
  const isSandbox = flags.sandbox === true || env.baseUrl === null;
  return lookOver({
    ledger,
    target: isSandbox ? SANDBOX_TARGET : baseUrlOf(env.baseUrl ?? ''),
    home: env.home,
    processing: join(env.home, 'processing'),
    jobs: await jobsOf(env, io),
  });
}

/** Definitions that can't be used are told, and the rest is shown all the same. */
async function jobsOf({ jobsDirectory, home }: Environment, io: Io) {
  try {
    return (await openJobBook(jobsDirectory, home, definitionProblems)).jobs();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const problem of error.problems) tell(io, `warning: ${problem}`);
    return [];
  }
}

function forMachines(overview: Overview) {
  const runs = overview.runs.map(({ run, state }) => ({ ...run, source: undefined, owner: state.owner }));
  return { ...overview, runs };
}

function linesOf(overview: Overview): string[] {
  const [own, ...others] = overview.services;
  return [
    ...(own === undefined ? [] : serviceLines(own, overview)),
    ...homeLines(overview),
    ...others.flatMap((service) => serviceLines(service, overview)),
  ];
}

/** What concerns one service: nothing of it is said beside another one's. */
function serviceLines(
  { target, ...report }: Overview['services'][number],
  { runs, processing }: Overview,
): string[] {
  return [
    `For ${target}:`,
    `Service: ${serviceWords(report)}`,
    ...section('Runs that are not over', runs.filter(({ run }) => run.target === target).map(runLine)),
    ...section(
      'Files being processed',
      processing
        .filter((file) => file.target === target)
        .map(({ file, job, claim }) => `${file}, job ${job}, ${claim}`),
    ),
  ];
}

function homeLines({ waiting, schedules, windows }: Overview): string[] {
  return [
    ...section(
      'Files in the inboxes',
      waiting.map(({ file, words }) =>
        words.startsWith('to be') ? `${file}: ${words}` : `${file} waits ${words}`,
      ),
    ),
    ...section(
      'Schedules',
      schedules.map(
        ({ job, cron, timezone, next, isSet }) =>
          `${job}: ${cron} ${timezone}, next ${next === null ? 'never' : shownTime(new Date(next), timezone)}${isSet ? '' : ' once a watcher runs'}`,
      ),
    ),
    ...section(
      'Windows',
      windows.map(
        ({ job, window, timezone, isOpen, opensAt }) =>
          `${job}: ${window}, ${isOpen ? 'open' : `closed, opens ${shownTime(new Date(opensAt), timezone)}`}`,
      ),
    ),
  ];
}

function runLine({ run, state }: Overview['runs'][number]): string {
  const goOn = goingOnWith(run, state);
  const left = `${countOf(run.rows, 'row')}, ${openRows(run)} without an outcome`;
  return `${run.id}: ${state.words}, job ${run.job}, ${left}${goOn === null ? '' : `; to go on: ${goOn}`}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [`${title}: none`] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}
