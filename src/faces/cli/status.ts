/** `onboard status`: what needs attention and what is going on, or how one run stands. */
import { basename } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { SANDBOX_TARGET } from '../../delivery/target.ts';
import { watchChunks } from '../../engine/queue/chunk-queue.ts';
import { isUserTold } from '../../lib/machine.ts';
import {
  countOf,
  duration,
  hasSigns,
  type Io,
  resultsWritten,
  say,
  sayAnew,
  sayJson,
  shownTime,
  tell,
} from '../../lib/terminal.ts';
import { sleep } from '../../lib/waiting.ts';
import { EXIT } from '../../model/exit.ts';
import { isOver, isUnderWay, pendingRows, type Run } from '../../model/run.ts';
import { accountOf } from '../../runs/account.ts';
import {
  differingWords,
  emptyOverview,
  lookOver,
  type Overview,
  sharingWords,
  targetOf,
} from '../../runs/inbox/overview.ts';
import { createBars } from '../../runs/progress.ts';
import type { Summary } from '../../runs/report/summary.ts';
import {
  accountLine,
  countLines,
  factLines,
  openWords,
  pagesOf,
  renderNext,
  requestWords,
} from '../../runs/report/words.ts';
import { serviceWords } from '../../runs/service-notice.ts';
import {
  findRun,
  goingOnWith,
  goOnWords,
  isRead,
  type RunStatus,
  readRunStatus,
  runStatus,
  type ShownRun,
  serviceReport,
  stateOf,
  waitsFor,
} from '../../runs/status.ts';
import { reportDirectory, type Session, withKnownLedger } from '../../session.ts';
import { type AddCommand, RUN_ARGUMENT } from './command.ts';

type Flags = { readonly json?: boolean; readonly sandbox?: boolean; readonly watch?: boolean };

export const addStatusCommand: AddCommand = (program, io, done) => {
  program
    .command('status')
    .description('Show what needs attention, what is under way, what waits and why; or one run in numbers')
    .argument('[run]', RUN_ARGUMENT)
    .option('--sandbox', 'without a run: for the built-in stand-in instead of MSB_BASE_URL')
    .option('--watch', 'look again every two seconds, until nothing more happens to the run, or Ctrl-C')
    .option('--json', 'as JSON; of a run with the fields of summary.json')
    .addHelpText(
      'after',
      '\nExamples:\n  onboard status\n  onboard status latest --watch\n  onboard status 20261121-034512-k3f9 --json',
    )
    .action(async (run: string | undefined, flags: Flags) => done(await status(run, flags, io)));
};

const WATCH_EVERY_MS = 2_000;

/** While somebody watches at a terminal: the bar of a run that is under way. */
type BarsOf = (run: Run) => readonly string[];

/** What is to be shown, and whether it may change yet. */
type Shown = { readonly lines: readonly string[]; readonly moves: boolean };

async function status(named: string | undefined, flags: Flags, io: Io): Promise<number> {
  const showEmpty = async (why: string, env: Environment) => {
    const empty = emptyOverview(env, flags.sandbox === true);
    if (flags.json === true) sayJson(io, ...indented(await forMachines(empty, env)));
    else say(io, why);
    return EXIT.success;
  };
  const look = (session: Session) => lookAt(named, flags, session);
  return withKnownLedger(io, look, named === undefined ? showEmpty : undefined);
}

async function lookAt(named: string | undefined, flags: Flags, session: Session): Promise<number> {
  const { io } = session;
  // Named once: of a newer run that begins meanwhile this command does not speak.
  const id = named === undefined ? undefined : (await findRun(session.ledger, named)).id;
  const isDrawn = flags.watch === true && flags.json !== true && io.stdout.isTTY === true;
  const bar = isDrawn ? createBars(io, () => performance.now()) : null;
  const barsOf: BarsOf = (run) => (bar === null || !isUnderWay(run) ? [] : [`  ${bar(run)}`]);
  const look = () =>
    id === undefined ? showOverview(flags, barsOf, session) : showStatus(id, { ...flags, barsOf }, session);
  const print = printFor(flags);
  let shown = await look();
  print(io, ...shown.lines);
  const isRead = async () => (await resultsWritten(io)) === null;
  while (flags.watch === true && shown.moves && !io.interrupted.aborted && (await isRead())) {
    await sleep(WATCH_EVERY_MS, io.interrupted);
    const last = shown.lines.join();
    shown = await look();
    // A file or a pipe gets what has changed, once.
    if (shown.lines.join() !== last) print(io, ...shown.lines);
  }
  return EXIT.success;
}

function printFor({ json, watch }: Flags): typeof say {
  if (json === true) return sayJson;
  return watch === true ? sayAnew : say;
}

async function showStatus(
  id: string,
  flags: Flags & { readonly barsOf: BarsOf },
  { ledger, env }: Session,
): Promise<Shown> {
  const run = await findRun(ledger, id);
  const state = stateOf(run, await isRead(id, ledger.of(run.target).store));
  const report = reportDirectory(env, id);
  const service = await serviceReport(ledger, run.target);
  const told = await readRunStatus({ run, state }, report);
  const moves = state.owner === 'alive';
  const queue = watchChunks(ledger.redis, ledger.of(run.target).keys.queuePrefix);
  const waits = await waitsFor(run, ledger, queue).finally(() => queue.close());
  const account = await accountOf(run, ledger);
  if (flags.json === true) return { lines: indented({ ...told, account, service, waitsFor: waits }), moves };
  const next = nextLines({ run, state }, { ...told, account: isOver(run) ? account : null }, report);
  const lines = [
    `Run ${id}: ${state.words}`,
    ...flags.barsOf(run),
    ...factLines(told),
    ...timeLines(told),
    ...countLines(told),
    `Account: ${accountLine(account)}`,
    ...(waits === null ? [] : [`Waits for: ${waits}`]),
    `Service: ${serviceWords(service)}`,
    `Report: ${pagesOf(told, report)[0]}`,
    ...(next.length === 0 ? [] : ['Next:', ...next]),
  ];
  return { lines, moves };
}

function timeLines({ percent, secondsLeft, seconds, startedAt, finishedAt }: RunStatus): string[] {
  const left = secondsLeft === null ? '' : `, about ${duration(secondsLeft)} left`;
  const ended = finishedAt === null ? '' : `, ended ${timeOf(finishedAt)}`;
  return [
    `  done    ${percent}%${left}`,
    `  began   ${startedAt === null ? 'not yet' : timeOf(startedAt)}${ended}`,
    ...(seconds === null ? [] : [`  took    ${duration(seconds)}${finishedAt === null ? ' so far' : ''}`]),
  ];
}

/** What is left to do about a run; empty: nothing. */
function nextLines({ run, state }: ShownRun, summary: Summary, report: string): readonly string[] {
  const isApproverTold = isUserTold();
  const next = renderNext(summary, { directory: report, isApproverTold }).slice(1);
  const goOn = mayBeToldHere(run) ? goingOnWith(run, state) : null;
  const isWritten = summary.files.length > 0 || isUnderWay(run);
  return [
    ...next,
    ...(goOn === null || next.some((line) => line.includes(goOn)) ? [] : ['  to go on:', `    ${goOn}`]),
    ...(isWritten ? [] : ['  for its report:', `    onboard report ${run.id}`]),
  ];
}

/** In a container nobody at its terminal can approve a run. */
function mayBeToldHere({ reason }: Run): boolean {
  return reason !== 'approval' || isUserTold();
}

function timeOf(iso: string): string {
  return shownTime(new Date(iso), 'UTC', { seconds: true });
}

async function showOverview(flags: Flags, barsOf: BarsOf, session: Session): Promise<Shown> {
  const target = targetOf(session.env, flags.sandbox === true);
  const overview = await lookOver(session, target, (problem) => tell(session.io, `warning: ${problem}`));
  const lines =
    flags.json === true
      ? indented(await forMachines(overview, session.env))
      : overviewLines(overview, hasSigns(session.io), barsOf);
  return { lines, moves: true };
}

function indented(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split('\n');
}

async function forMachines(overview: Overview, env: Environment) {
  const runs = await Promise.all(
    overview.runs.map((shown) => readRunStatus(shown, reportDirectory(env, shown.run.id))),
  );
  const needy = overview.needs.runs.map(
    ({ inDoubt, toCorrect, notSent, differing, sharing, account, summary, report, ...shown }) => ({
      ...runStatus(shown, summary, report),
      inDoubt,
      toCorrect,
      notSent,
      differing,
      sharing,
      account,
    }),
  );
  return { ...overview, needs: { ...overview.needs, runs: needy }, runs };
}

function overviewLines(overview: Overview, signs: boolean, barsOf: BarsOf): string[] {
  const needs = needsLines(overview, signs);
  const nothing = `${signs ? '✓ ' : ''}Nothing needs attention`;
  if (needs.length === 0 && isIdle(overview)) return [`${nothing}: ${idleWords(overview)}.`];
  const [own, ...others] = overview.services;
  return [
    ...(needs.length === 0 ? [`${nothing}.`] : ['Needs attention:', ...needs]),
    '',
    `Ledger: ${overview.ledger}`,
    ...(own === undefined ? [] : serviceLines(own, overview, barsOf)),
    ...homeLines(overview),
    ...others.flatMap((service) => serviceLines(service, overview, barsOf)),
  ];
}

function isIdle({ services, runs, processing, waiting }: Overview): boolean {
  return runs.length + processing.length + waiting.length === 0 && services.every(isWell);
}

function isWell({ state }: Overview['services'][number]): boolean {
  return state === 'well';
}

function idleWords({ target, ledger, schedules }: Overview): string {
  const next = schedules.filter(({ isSet, next: at }) => isSet && at !== null).map(scheduleWords);
  const what = ['no run is under way', 'no file waits', ...next].join(', ');
  return `${what} (${target}, ledger ${ledger})`;
}

function scheduleWords({ job, timezone, next }: Overview['schedules'][number]): string {
  return `${job} next ${next === null ? 'never' : shownTime(new Date(next), timezone)}`;
}

/** So many of each kind are told whole, the others counted: the newest matter most. */
const NEEDS_SHOWN = 5;

/** Empty: nothing does. */
function needsLines({ needs: { disk, runs, refused }, services }: Overview, signs: boolean): string[] {
  // Whoever puts a token in place now keeps the runs from being paused.
  const shut = services.filter(({ state }) => state === 'refused');
  const moreRuns = runs.length - NEEDS_SHOWN;
  const moreFiles = refused.length - NEEDS_SHOWN;
  return [
    ...(disk === null ? [] : [`${signs ? '✗' : ' '} ${disk}`]),
    ...shut.flatMap((one) => [
      `${signs ? '✗' : ' '} The service at ${one.target} has ${serviceWords(one)}`,
      '    put a valid one where MSB_TOKEN_FILE or MSB_TOKEN_COMMAND has it: its runs go on by themselves',
    ]),
    ...runs.slice(0, NEEDS_SHOWN).flatMap((one) => needyLines(one, signs)),
    ...(moreRuns > 0 ? [`  and ${countOf(moreRuns, 'more run', 'more runs')}: onboard runs`] : []),
    ...refused
      .slice(0, NEEDS_SHOWN)
      .flatMap((one) => [
        `${signs ? '✗' : ' '} File ${one.file}: refused`,
        ...(one.note === null ? [] : [`    why: ${one.note}`]),
        '    correct it and deliver it again, or remove it from there',
      ]),
    ...(moreFiles > 0 ? [`  and ${countOf(moreFiles, 'more refused file')} beside it`] : []),
  ];
}

export function marked(text: string, { target }: Run): string {
  return target === SANDBOX_TARGET ? `SANDBOX ${text}` : text;
}

function needyLines(needy: Overview['needs']['runs'][number], signs: boolean): string[] {
  const { run, state, inDoubt, differing, sharing, account, summary, report } = needy;
  const open = openWords(needy, run);
  const what = [
    state.words,
    ...(inDoubt === 0 ? [] : [`${countOf(inDoubt, 'row')} in doubt`]),
    ...open,
    ...(differing === 0 ? [] : [differingWords(differing)]),
    ...(sharing === 0 ? [] : [sharingWords(sharing)]),
  ];
  const sign = inDoubt > 0 ? '?' : '✗';
  // Of a file none of whose rows are to be corrected, nothing is told of them.
  const files = summary.files.filter((file) => open.length > 0 || !/^(rejected|failed)/.test(file));
  const next = nextLines({ run, state }, { ...summary, files, account }, report);
  return [
    `${signs ? sign : ' '} Run ${run.id} (${marked(run.job, run)}, ${basename(run.file)}): ${what.join(', ')}`,
    ...(run.request === undefined ? [] : [`    by ${requestWords(run.request)}`]),
    ...next.map((line) => `  ${line}`),
  ];
}

/** What concerns one service: nothing of it is said beside another one's. */
function serviceLines(
  { target, ...report }: Overview['services'][number],
  { runs, processing }: Overview,
  barsOf: BarsOf,
): string[] {
  const ofTarget = runs.filter(({ run }) => run.target === target);
  return [
    `For ${target}:`,
    `Service: ${serviceWords(report)}`,
    ...section(
      'Runs that are not over',
      ofTarget.flatMap((one) => [runLine(one), ...barsOf(one.run)]),
    ),
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
      waiting.map(({ file, why, words }) =>
        why === 'refused' ? `${file}: ${words}` : `${file} waits ${words}`,
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
  const goOn = mayBeToldHere(run) ? goOnWords(run, state) : null;
  const left = `${countOf(run.rows, 'row')}, ${pendingRows(run)} without an outcome`;
  return `${run.id}: ${state.words}, job ${run.job}, ${left}${goOn === null ? '' : `; to go on: ${goOn}`}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}
