/** `onboard runs` and `onboard report`: the runs of a ledger, and what became of one. */
import { basename, resolve } from 'node:path';
import { readEnvironment } from '../../config/environment.ts';
import {
  hasSigns,
  type Io,
  numberColumn,
  numberShown,
  renderTable,
  say,
  sayJson,
  windowOf,
} from '../../lib/terminal.ts';
import { OUTCOMES, REMAINDER } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import { renderSummary } from '../../runs/report/words.ts';
import { writeReportOf } from '../../runs/report.ts';
import { findRun, goOnWords, latestRuns, readRunStatus, type ShownRun } from '../../runs/status.ts';
import { reportDirectory, withKnownLedger } from '../../session.ts';
import { type AddCommand, RUN_ARGUMENT, wholeNumber } from './command.ts';
import { marked } from './status.ts';

type RunsFlags = { readonly json?: boolean; readonly limit: number };

export const addRunsCommand: AddCommand = (program, io, done) => {
  program
    .command('runs')
    .description('List the runs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1), 20)
    .option('--json', 'a JSON line per run')
    .addHelpText('after', '\nExample:\n  onboard runs --limit 5')
    .action(async (flags: RunsFlags) => done(await listRuns(flags, io)));
};

async function listRuns({ json, limit }: RunsFlags, io: Io): Promise<number> {
  const env = readEnvironment(io.env);
  const { listed, where } = await withKnownLedger(
    io,
    async ({ ledger }) => ({ listed: await latestRuns(ledger, limit), where: ledger.name }),
    () => ({ listed: [], where: env.home }),
  );
  if (json === true)
    for (const shown of listed)
      sayJson(io, JSON.stringify(await readRunStatus(shown, reportDirectory(env, shown.run.id))));
  else if (listed.length === 0)
    say(io, `No runs yet in the ledger of ${where}. \`onboard run JOB FILE\` makes one.`);
  else say(io, ...runsTable(listed, io.stdout.isTTY === true ? windowOf(io.stdout) : Infinity));
  return 0;
}

/** What went wrong stands first: a narrow window leaves out the last columns. */
function runsTable(listed: readonly ShownRun[], width: number): string[] {
  const rows = numberColumn(listed.map(({ run }) => run.rows));
  const body = listed.map(({ run, state }, i) => [
    run.id,
    marked(state.words, run),
    rows[i] ?? '',
    wrongIn(run).join(', '),
    run.job,
    run.parent === null ? basename(run.file) : `rerun of ${run.parent}`,
    run.target,
  ]);
  const table = renderTable(['run', 'state', 'rows', 'no success', 'job', 'file', 'service'], body, width);
  const open = listed.flatMap(({ run, state }) => goOnWords(run, state) ?? []);
  return open.length === 0 ? table : [...table, '', 'To go on:', ...open.map((command) => `  ${command}`)];
}

function wrongIn({ outcomes }: Run): string[] {
  return OUTCOMES.filter((outcome) => REMAINDER[outcome] !== 'none' && outcomes[outcome] > 0)
    .reverse()
    .map((outcome) => `${numberShown(outcomes[outcome])} ${outcome}`);
}

type ReportFlags = {
  readonly out?: string;
  readonly json?: boolean;
  readonly originals?: boolean;
};

export const addReportCommand: AddCommand = (program, io, done) => {
  program
    .command('report')
    .description(
      'Write the report of a run again from the ledger; files that you have changed stay as they are',
    )
    .argument('<run>', RUN_ARGUMENT)
    .option('--out <folder>', 'where to; default: ONBOARD_HOME/reports/<run>')
    .option(
      '--originals',
      'with the cells of rows to correct, also where the job has report.originals: false',
    )
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard report 20261121-034512-k3f9 --out ./report')
    .action(async (run: string, flags: ReportFlags) => done(await writeAgain(run, flags, io)));
};

async function writeAgain(named: string, flags: ReportFlags, io: Io): Promise<number> {
  return withKnownLedger(io, async (session) => {
    const run = await findRun(session.ledger, named);
    const directory = flags.out === undefined ? reportDirectory(session.env, run.id) : resolve(flags.out);
    const { originals = false } = flags;
    const summary = await writeReportOf(run, session, { directory, originals });
    if (flags.json === true) sayJson(io, JSON.stringify(summary));
    else say(io, ...renderSummary(summary, { directory, signs: hasSigns(io) }));
    return summary.controlTotal.holds ? 0 : 3;
  });
}
