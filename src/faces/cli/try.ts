/** `onboard try`: a changed definition over files that were loaded, without a single call. */
import type { Environment } from '../../config/environment.ts';
import type { Job } from '../../config/job-definition.ts';
import { loadJob, loadJobFile } from '../../config/load-job.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import {
  countOf,
  type Io,
  numberShown,
  printable,
  say,
  sayJson,
  shellWord,
  shorten,
} from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import type { Run } from '../../model/run.ts';
import { placesOfFile } from '../../runs/inbox/settle.ts';
import { findRun, LATEST } from '../../runs/status.ts';
import { assertTried, type NotTried, runsToTry, type Tried, tryOn } from '../../runs/trial.ts';
import { type Ledger, withKnownLedger } from '../../session.ts';
import { type AddCommand, RUN_ARGUMENT, wholeNumber } from './command.ts';

type Flags = {
  readonly jobFile?: string;
  readonly last: number;
  readonly run?: string;
  readonly json?: boolean;
};

export const addTryCommand: AddCommand = (program, io, done) => {
  program
    .command('try')
    .description('Try a changed definition on files that were loaded')
    .argument('<job>', 'whose files they were')
    .option('--job-file <file>', 'the changed definition; else the job as it is')
    .option('--last <n>', 'how many, the newest first', wholeNumber(1), 6)
    .option('--run <run>', `one file alone: ${RUN_ARGUMENT}`)
    .option('--json', 'a JSON line per file, without values')
    .addHelpText('after', '\nExample:\n  onboard try partner-x --job-file corrected.yaml --last 3')
    .action(async (job: string, flags: Flags) => done(await tryJob(job, flags, io)));
};

async function tryJob(job: string, flags: Flags, io: Io): Promise<number> {
  return withKnownLedger(io, async ({ ledger, env }) => {
    const { definition } = await changedJob(job, flags, env);
    const runs = await runsMeant(job, flags, ledger);
    assertTried(job, runs);
    let isRefused = false;
    let isAnyTried = false;
    for (const run of runs) {
      const places = placesOfFile(run, env.home);
      const trying = tryOn(run, definition, { ledger, places });
      const tried = await trying.catch(notFitting(run));
      if (flags.json === true) sayJson(io, JSON.stringify(withoutValues(tried)));
      else say(io, ...triedLines(tried), '');
      if ('why' in tried) continue;
      isAnyTried = true;
      isRefused ||= tried.refused.rows > 0;
    }
    if (!isAnyTried) return EXIT.notStarted;
    return isRefused ? EXIT.unsuccessful : EXIT.success;
  });
}

/** Only of the job itself: another one's file has other columns. */
async function runsMeant(job: string, { run: named, last }: Flags, ledger: Ledger): Promise<readonly Run[]> {
  if (named === undefined) return runsToTry(job, last, ledger);
  if (named === LATEST) return runsToTry(job, 1, ledger);
  const run = await findRun(ledger, named);
  if (run.job === job) return [run];
  throw new UsageError(
    `Run ${run.id} is of the job "${run.job}": expected a run of "${job}", which \`onboard runs\` lists, or \`onboard try ${shellWord(run.job)} --run ${run.id}\`.`,
  );
}

function changedJob(job: string, { jobFile }: Flags, env: Environment): Promise<Job> {
  if (jobFile !== undefined) return loadJobFile(jobFile, definitionProblems);
  return loadJob(job, env.jobsDirectory, definitionProblems);
}

/** A definition that doesn't fit one file may fit the others. */
function notFitting({ id, file }: { readonly id: string; readonly file: string }) {
  return (error: unknown): NotTried => {
    if (!(error instanceof UsageError)) throw error;
    return { run: id, file, why: error.problems.join(' ') };
  };
}

function withoutValues(tried: Tried | NotTried) {
  if ('why' in tried) return tried;
  const { differ } = tried;
  const examples = differ.examples.map(({ row, line, field }) => {
    return { row, line, field };
  });
  return { ...tried, differ: { ...differ, examples } };
}

const FIELDS_SHOWN = 12;
const VALUE_SHOWN = 40;

function triedLines(tried: Tried | NotTried): string[] {
  const head = `${printable(tried.file)}, run ${tried.run}`;
  if ('why' in tried) {
    const why = printable(tried.why);
    return [`${head}: not tried, since ${why}`];
  }
  const rows = countOf(tried.rows, 'row');
  const same = recordsWords(tried.same);
  const others = countOf(tried.others, 'row');
  return [
    `${head}: ${rows}`,
    passLine(tried),
    ...refusedLines(tried),
    ...differLines(tried),
    `  ${same} there as it would be sent`,
    `  ${others} otherwise: invalid as before, or without a record there`,
  ];
}

function passLine({ pass }: Tried): string {
  const { rows, examples } = pass;
  const named = examples.length === 0 ? '' : `, for example row ${examples.join(', ')}`;
  return `  ${wereWords(rows)} invalid, and would be sent${named}`;
}

function refusedLines({ refused }: Tried): string[] {
  const { rows, examples } = refused;
  return [
    `  ${wereWords(rows)} sent or skipped, and would be invalid`,
    ...examples.map(({ row, why }) => `    row ${row}, ${printable(why)}`),
  ];
}

function differLines({ differ }: Tried): string[] {
  const { rows, fields, examples } = differ;
  const counted = fields.slice(0, FIELDS_SHOWN).map((one) => {
    const count = numberShown(one.rows);
    return `${printable(one.field)} ${count}`;
  });
  return [
    `  ${recordsWords(rows)} at the service, and would be sent otherwise`,
    ...(rows === 0 ? [] : [`    ${counted.join(', ')}`]),
    ...examples.map(differenceWords),
  ];
}

function wereWords(rows: number): string {
  return countOf(rows, 'row was', 'rows were');
}

function recordsWords(rows: number): string {
  return countOf(rows, 'record stands', 'records stand');
}

type Difference = Tried['differ']['examples'][number];

function differenceWords({ row, field, before, after }: Difference): string {
  const change = `${shown(field, before)} → ${shown(field, after)}`;
  return `    row ${row}, ${printable(field)}: ${change}`;
}

/** Of accounts the last signs only. */
function shown(field: string, value: string | null): string {
  if (value === null) return 'nothing';
  const isAccount = ACCOUNT.test(field);
  if (!isAccount) return printable(shorten(value, VALUE_SHOWN));
  const bare = value.replaceAll('"', '');
  return `…${printable(bare.slice(-LAST_SIGNS))}`;
}

const ACCOUNT = /^accounts\.|iban|accountNumber/i;
const LAST_SIGNS = 4;
