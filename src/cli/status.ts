/** `onboard runs`, `onboard status` and `onboard report`: what is going on, and what became of a run. */
import { basename, resolve } from 'node:path';
import { lookOver, type Overview } from '../inbox/overview.ts';
import { countOf, type Io, say, shownTime } from '../lib/terminal.ts';
import { nameOf } from '../model/operation.ts';
import { openRows, type Run } from '../model/run.ts';
import { summarize } from '../report/summary.ts';
import { renderSummary } from '../report/words.ts';
import { outcomesOf } from '../runs/progress.ts';
import { writeReportOf } from '../runs/report.ts';
import { serviceWords } from '../runs/service-notice.ts';
import {
  findRun,
  goingOnWith,
  latestRuns,
  type ShownRun,
  type ShownState,
  serviceReport,
  stateOf,
} from '../runs/status.ts';
import { reportDirectory, withSession } from '../session.ts';
import { type AddCommand, wholeNumber } from './command.ts';

type RunsFlags = { readonly json?: boolean; readonly limit: number };

/** `onboard runs`: the runs of this ledger, newest first. */
export const addRunsCommand: AddCommand = (program, io, done) => {
  program
    .command('runs')
    .description('List the runs, newest first')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--json', 'a JSON line per run')
    .addHelpText('after', '\nExample:\n  onboard runs --limit 5')
    .action(async (flags: RunsFlags) => done(await listRuns(flags, io)));
};

async function listRuns({ json, limit }: RunsFlags, io: Io): Promise<number> {
  const listed = await withSession(io, undefined, ({ ledger }) => latestRuns(ledger, limit));
  if (json === true)
    for (const { run, state } of listed)
      say(io, JSON.stringify({ ...run, source: undefined, chunkEnds: undefined, owner: state.owner }));
  else if (listed.length === 0) say(io, 'No runs yet. `onboard run <job> <file>` makes one.');
  else for (const line of listed.map(listLine)) say(io, line);
  return 0;
}

function listLine({ run, state }: ShownRun): string {
  const open = openRows(run);
  const goOn = goingOnWith(run, state);
  const from = run.parent === null ? basename(run.file) : `rerun of ${run.parent}`;
  const rows = `${countOf(run.rows, 'row')}${open === 0 ? '' : `, ${open} open`}`;
  const outcomes = run.rows === 0 ? '' : `, ${outcomesOf(run)}`;
  return `${run.id}  ${state.words.padEnd(22)} ${run.job}, ${from} to ${run.target}: ${rows}${outcomes}${goOn === null ? '' : `; to go on: ${goOn}`}`;
}

/** `onboard status [run]`: one run in numbers, or what is going on. */
export const addStatusCommand: AddCommand = (program, io, done) => {
  program
    .command('status')
    .description('One run in numbers, or without one what is under way, what waits and why')
    .argument('[run]', 'id of a run, from `onboard runs`')
    .option('--sandbox', 'without a run: for the built-in stand-in instead of MSB_BASE_URL')
    .option('--json', 'as JSON; of a run with the fields of summary.json')
    .addHelpText('after', '\nExamples:\n  onboard status\n  onboard status 20261121-034512-k3f9 --json')
    .action(async (run: string | undefined, flags: OverviewFlags) =>
      done(run === undefined ? await showOverview(flags, io) : await showStatus(run, flags, io)),
    );
};

async function showStatus(id: string, flags: { readonly json?: boolean }, io: Io): Promise<number> {
  return withSession(io, undefined, async ({ ledger, env }) => {
    const run = await findRun(ledger, id);
    const state = stateOf(run, await ledger.of(run.target).store.hasLease(id));
    const report = reportDirectory(env, id);
    const service = await serviceReport(ledger, run.target);
    if (flags.json === true) {
      const summary = summarize(run, [], new Date());
      say(io, ...indented({ ...summary, owner: state.owner, service, report }));
    } else
      for (const line of [...statusLines(run, state, report), `service   ${serviceWords(service)}`])
        say(io, line);
    return 0;
  });
}

function statusLines(run: Run, state: ShownState, report: string): string[] {
  const goOn = goingOnWith(run, state);
  return [
    `run       ${run.id}: ${state.words}`,
    `job       ${run.job} (${nameOf(run.operation)}), to ${run.target}`,
    `file      ${run.file}`,
    ...(run.parent === null ? [] : [`rerun of  ${run.parent}`]),
    `rows      ${run.rows}, ${openRows(run)} without an outcome yet`,
    ...(run.rows === 0 ? [] : [`outcomes  ${outcomesOf(run)}`]),
    `began     ${run.startedAt === null ? 'not yet' : timeOf(run.startedAt)}${run.finishedAt === null ? '' : `, ended ${timeOf(run.finishedAt)}`}`,
    `report    ${report}`,
    ...(goOn === null ? [] : [`to go on  ${goOn}`]),
  ];
}

function timeOf(iso: string): string {
  return shownTime(new Date(iso), 'UTC', { seconds: true });
}

type OverviewFlags = { readonly json?: boolean; readonly sandbox?: boolean };

/** `onboard status` without a run: what is under way, what waits and why, and when it goes on. */
async function showOverview(flags: OverviewFlags, io: Io): Promise<number> {
  return withSession(io, undefined, async (session) => {
    const overview = await lookOver(session, flags.sandbox === true);
    say(io, ...(flags.json === true ? indented(forMachines(overview)) : overviewLines(overview)));
    return 0;
  });
}

function indented(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split('\n');
}

function forMachines(overview: Overview) {
  const runs = overview.runs.map(({ run, state }) => ({ ...run, source: undefined, owner: state.owner }));
  return { ...overview, runs };
}

function overviewLines(overview: Overview): string[] {
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

type ReportFlags = { readonly out?: string; readonly json?: boolean };

/** `onboard report <run>`: the report again, from the ledger. */
export const addReportCommand: AddCommand = (program, io, done) => {
  program
    .command('report')
    .description('Write the report of a run again from the ledger, over the files that are there')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .option('--out <folder>', 'where to; default: ONBOARD_HOME/reports/<run>')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard report 20261121-034512-k3f9 --out ./report')
    .action(async (run: string, flags: ReportFlags) => done(await writeAgain(run, flags, io)));
};

async function writeAgain(id: string, flags: ReportFlags, io: Io): Promise<number> {
  return withSession(io, undefined, async (session) => {
    const run = await findRun(session.ledger, id);
    const directory = flags.out === undefined ? reportDirectory(session.env, id) : resolve(flags.out);
    const summary = await writeReportOf(run, session, { directory });
    say(io, ...(flags.json === true ? [JSON.stringify(summary)] : renderSummary(summary, { directory })));
    return summary.controlTotal.holds ? 0 : 3;
  });
}
