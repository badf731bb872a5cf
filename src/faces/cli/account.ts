/** `onboard account` and `onboard write-off`: what became of every row of a file. */
import { rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { SANDBOX_TARGET } from '../../delivery/target.ts';
import { hasCode } from '../../lib/errors.ts';
import { countOf, type Io, printable, say, sayJson, shellWord } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type Account, toSeeTo } from '../../model/account.ts';
import { EXIT } from '../../model/exit.ts';
import type { Run } from '../../model/run.ts';
import { isTable } from '../../model/source.ts';
import {
  accountsAt,
  fileOfOpen,
  type OpenRow,
  openRowsOf,
  type RowsMeant,
  writeOff,
} from '../../runs/account.ts';
import { releaseAccounts } from '../../runs/held-accounts.ts';
import { placesOfFile } from '../../runs/inbox/settle.ts';
import { accountsBeside, besideWords, placeOf } from '../../runs/known-accounts.ts';
import { openSteps } from '../../runs/report/next.ts';
import { accountLine, stepLines } from '../../runs/report/words.ts';
import { writeReportOf } from '../../runs/report.ts';
import { rerunOutcomes } from '../../runs/rerun.ts';
import { findRun } from '../../runs/status.ts';
import { type Ledger, type Session, withKnownLedger } from '../../session.ts';
import {
  type AddCommand,
  askOfMany,
  collect,
  REASON,
  type RequestFlags,
  RUN_ARGUMENT,
  requestOf,
  rowNumber,
  YES,
} from './command.ts';

type AccountFlags = { readonly json?: boolean; readonly open?: string };

export const addAccountCommand: AddCommand = (program, io, done) => {
  program
    .command('account')
    .description('Show what became of every row of a file, over its corrections and re-runs')
    .argument('[run]', `${RUN_ARGUMENT}; without it: latest`, 'latest')
    .option('--open <file>', 'write the open rows to this new file, to be corrected and loaded')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  onboard account latest\n  onboard account 20261121-034512-k3f9 --open open.csv',
    )
    .action(async (run: string, flags: AccountFlags) => done(await account(run, flags, io)));
};

async function account(named: string, flags: AccountFlags, io: Io): Promise<number> {
  return withKnownLedger(io, async ({ ledger, env }) => {
    const run = await findRun(ledger, named);
    const accounts = accountsAt(run.target, ledger);
    const told = await accounts.accountOf(await accounts.deliveryOf(run.id));
    const delivery = await findRun(ledger, told.delivery);
    const rows = await openRowsOf(told.delivery, accounts);
    if (flags.open !== undefined && toSeeTo(told) === told.purgedRows)
      throw new UsageError(`--open: no open row can be corrected. ${accountLine(told)}.`);
    if (flags.open !== undefined) await writeOpen(flags.open, delivery, rows, ledger);
    if (flags.json === true) sayJson(io, JSON.stringify({ ...told, openRows: rows }));
    else say(io, ...lines(delivery, told, await shownRows(rows, run.target, { ledger, env }), flags));
    return told.holds ? EXIT.success : EXIT.notStarted;
  });
}

async function writeOpen(path: string, delivery: Run, rows: readonly OpenRow[], ledger: Ledger) {
  try {
    await writeFile(path, fileOfOpen(delivery, rows, ledger), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (hasCode(error, 'EEXIST'))
      throw new UsageError(`--open: ${path} is there already, maybe corrected: load it, or name a new file`);
    await rm(path, { force: true });
    throw error;
  }
}

const ROWS_SHOWN = 20;

/** The first rows as lines, and how many there are. */
type Shown = { readonly lines: (delivery: string) => readonly string[]; readonly rows: number };

async function shownRows(
  rows: readonly OpenRow[],
  target: string,
  { ledger, env }: Pick<Session, 'ledger' | 'env'>,
): Promise<Shown> {
  const first = rows.slice(0, ROWS_SHOWN);
  const placesOf = (run: Run) => placesOfFile(run, env.home);
  const last = first.map((row) => row.last);
  const accounts = await accountsBeside(last, target, { ledger, placesOf });
  const ofRow = (row: OpenRow) => {
    const beside = accounts.get(placeOf(row.last));
    return beside === undefined ? [] : [`    account ${besideWords(beside)}`];
  };
  const lines = (delivery: string) => first.flatMap((row) => [rowLine(row, delivery), ...ofRow(row)]);
  return { lines, rows: rows.length };
}

function lines(run: Run, told: Account, shown: Shown, { open: written }: AccountFlags): string[] {
  const { id, file, job } = run;
  const extension = isTable(run.source) ? 'csv' : 'ndjson';
  const left = shown.rows - ROWS_SHOWN;
  return [
    `Account of ${printable(basename(file))} (job ${job}):`,
    `  ${accountLine(told)}`,
    `  ${countOf(told.runs.length, 'run')}: ${told.runs.join(', ')}`,
    ...(shown.rows === 0 ? [] : ['', 'Open:', ...shown.lines(id)]),
    ...(left > 0 ? [`  and ${countOf(left, 'more row', 'more rows')}: --json has them all`] : []),
    ...(toSeeTo(told) > 0 ? [''] : []),
    ...(written === undefined ? openSteps(told, extension).flatMap(stepLines) : loading(run, written)),
  ];
}

function loading({ job, target }: Run, file: string): string[] {
  const sandbox = target === SANDBOX_TARGET ? ' --sandbox' : '';
  const load = `onboard run ${shellWord(job)}${sandbox} ${shellWord(file)}`;
  return [`The open rows that can be corrected are in ${file}. To load it:`, `    ${load}`];
}

function rowLine({ row, last }: OpenRow, delivery: string): string {
  const { run, line, key, outcome, code } = last;
  const named = [
    ...(line === 0 || run !== delivery ? [] : [`line ${line}`]),
    ...(key === '' ? [] : [`key ${printable(key)}`]),
  ];
  const where = run === delivery ? '' : `, last in run ${run}`;
  return `  row ${row}${named.length === 0 ? '' : ` (${named.join(', ')})`}: ${outcome}${code === '' ? '' : ` ${code}`}${where}`;
}

type WriteOffFlags = RequestFlags & {
  readonly only?: readonly string[];
  readonly cause?: string;
  readonly changedAtService?: boolean;
  readonly yes?: boolean;
};

export const addWriteOffCommand: AddCommand = (program, io, done) => {
  program
    .command('write-off')
    .description('Say that rows shall never be loaded, and why: they are open no more')
    .argument('<run>', RUN_ARGUMENT)
    .argument('[rows...]', 'numbers of rows, as results.csv has them')
    .option(
      '--only <outcomes>',
      'all open rows that ended so: rejected, failed, denied, invalid, cancelled',
      collect,
    )
    .option('--cause <code>', 'all open rows with this code, as results.csv has it')
    .option(
      '--changed-at-service',
      'rows held for their account: it was changed at the service by hand, and is the known one from now on',
    )
    .requiredOption(...REASON)
    .option(...YES)
    .addHelpText(
      'after',
      '\nExamples:\n  onboard write-off latest --cause totals_row --reason "totals of the sheet"\n' +
        '  onboard write-off latest 17 --changed-at-service --reason "called back on 12 November"',
    )
    .action(async (run: string, rows: string[], flags: WriteOffFlags) =>
      done(await writeRowsOff(run, rowsMeant(rows, flags), flags, io)),
    );
};

function rowsMeant(rows: readonly string[], { only = [], cause }: WriteOffFlags): RowsMeant {
  const isLike = only.length > 0 || cause !== undefined;
  if (isLike === rows.length > 0)
    throw new UsageError('expected numbers of rows, or --only OUTCOMES, --cause CODE');
  return isLike
    ? { kind: 'like', outcomes: rerunOutcomes(only), cause: cause ?? null }
    : { kind: 'rows', rows: rows.map(rowNumber) };
}

const NEVER_LOADED = "shall never be loaded, and that can't be taken back.";

async function writeRowsOff(named: string, meant: RowsMeant, flags: WriteOffFlags, io: Io): Promise<number> {
  const areMoved = flags.changedAtService === true;
  const request = requestOf(flags, io);
  return withKnownLedger(io, async (session) => {
    const run = await findRun(session.ledger, named);
    const ask = (rows: number) =>
      askOfMany(rows, `${countOf(rows, 'row')} ${NEVER_LOADED} Write them off?`, flags, io);
    const written = await writeOff(run, meant, request, session.ledger, { areMoved, ask });
    const { account: told } = await writeReportOf(run, session);
    say(io, `${countOf(written, 'row')} written off by ${request.by}.`);
    if (areMoved && written > 0) say(io, 'What they say is the known account from now on.');
    if (told !== null) say(io, accountLine(told));
    return EXIT.success;
  });
}

type ReleaseFlags = RequestFlags & { readonly revoke?: boolean };

export const addReleaseCommand: AddCommand = (program, io, done) => {
  program
    .command('release')
    .description('Say that several payees may have the accounts of rows that were held for them')
    .argument('<run>', RUN_ARGUMENT)
    .argument(
      '<rows...>',
      'numbers of rows that the run held (account_shared); one for each account is enough',
    )
    .option('--revoke', 'take it back: the accounts hold rows again')
    .requiredOption(...REASON)
    .addHelpText(
      'after',
      '\nExample:\n  onboard release latest 17 --reason "a factoring firm, called on 12 November"',
    )
    .action(async (run: string, rows: string[], flags: ReleaseFlags) =>
      done(await release(run, rows.map(rowNumber), flags, io)),
    );
};

async function release(named: string, rows: readonly number[], flags: ReleaseFlags, io: Io): Promise<number> {
  const areShared = flags.revoke !== true;
  const request = requestOf(flags, io);
  return withKnownLedger(io, async ({ ledger }) => {
    const run = await findRun(ledger, named);
    const { changed, runs } = await releaseAccounts(run, { rows, request, areShared }, ledger);
    say(io, releasedWords(changed, areShared, request.by));
    if (!areShared || runs.length === 0) return EXIT.success;
    say(io, 'To send the rows that were held:', ...runs.map((id) => `  onboard rerun ${id} --only invalid`));
    return EXIT.success;
  });
}

function releasedWords(changed: number, areShared: boolean, by: string): string {
  if (changed === 0) return areShared ? 'That was said before.' : 'Nobody had released them.';
  const accounts = countOf(changed, 'account');
  return areShared
    ? `Several payees may have ${accounts} from now on, says ${by}.`
    : `${accounts} taken back by ${by}: another payee with it is held again.`;
}
