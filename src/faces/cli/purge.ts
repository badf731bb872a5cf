/** `onboard purge`: takes what is personal out of runs that are over. */
import { Option } from 'commander';
import { ageOf } from '../../config/environment.ts';
import { countOf, type Io, say, sayJson } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import type { Run } from '../../model/run.ts';
import { accountOf } from '../../runs/account.ts';
import { journalsLeft, otherFilesWords, purge } from '../../runs/inbox/retention.ts';
import { purgedWords } from '../../runs/report/words.ts';
import { findRun } from '../../runs/status.ts';
import { type Ledger, withKnownLedger } from '../../session.ts';
import { type AddCommand, RUN_ARGUMENT } from './command.ts';

type PurgeFlags = {
  readonly olderThan?: string;
  readonly run?: string | null;
  readonly open?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

export const addPurgeCommand: AddCommand = (program, io, done) => {
  program
    .command('purge')
    .description(
      'Remove cells, keys, messages and files of runs that are over; what became of each row stays',
    )
    .option('--older-than <time>', 'runs that ended so long ago, as 90d; default: ONBOARD_RETENTION')
    .addOption(new Option('--run <run>', `this one alone: ${RUN_ARGUMENT}`).conflicts('olderThan'))
    .option('--open', 'also where rows of the file are open: from then on they can only be written off')
    .option('--dry-run', 'remove nothing, and list what would be purged')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  onboard purge --older-than 90d --dry-run')
    .action(async (flags: PurgeFlags) => done(await purgeRuns(flags, io)));
};

async function purgeRuns(
  { run = null, olderThan, json, open: isOpenToo = false, dryRun: isDry = false }: PurgeFlags,
  io: Io,
): Promise<number> {
  return withKnownLedger(io, async (session) => {
    const olderThanMs = run === null ? ageAsked(olderThan, session.env.retentionMs) : null;
    const named = run === null ? null : await findRun(session.ledger, run);
    const told = await purge({ run, olderThanMs, isOpenToo, isDry, by: session.env.actor.name }, session);
    const notes = await notesOf(told.notPurged.length > 0 ? null : named, session.ledger);
    if (json === true) sayJson(io, JSON.stringify({ dryRun: isDry, ...told, notes }));
    else say(io, ...lines(told, isDry ? 'To be purged' : 'Purged'), ...notes);
    if (io.interrupted.aborted) return EXIT.interrupted;
    return run !== null && told.notPurged.length > 0 ? EXIT.notStarted : exitCodeOf(told);
  });
}

/** Without a replica that has it, a failover brings back what was purged. */
function exitCodeOf({ isCopied }: Awaited<ReturnType<typeof purge>>): number {
  return isCopied ? EXIT.success : EXIT.unsuccessful;
}

function ageAsked(text: string | undefined, retentionMs: number | null): number {
  const ms = text === undefined ? retentionMs : ageOf(text);
  if (ms !== null) return ms;
  if (text !== undefined) throw new UsageError(`--older-than ${text}: expected days, such as 90d`);
  throw new UsageError('expected --older-than, such as 90d, --run or ONBOARD_RETENTION');
}

function lines(told: Awaited<ReturnType<typeof purge>>, did: string): string[] {
  const { runs, notPurged, journals, otherFiles, problem } = told;
  const lines = [`${did}: ${countOf(runs.length, 'run')}`];
  for (const { run, job, rows, finishedAt } of runs) {
    lines.push(`  ${run}, job ${job}, ${countOf(rows, 'row')}, ended ${finishedAt}`);
  }
  if (otherFiles > 0) lines.push(otherFilesWords(otherFiles));
  lines.push(...journals);
  if (notPurged.length > 0) lines.push(`Not purged: ${countOf(notPurged.length, 'run')}`);
  for (const { run, job, why } of notPurged) lines.push(`  ${run}, job ${job}: ${why}`);
  if (problem !== null) lines.push(`warning: ${problem}`);
  return lines;
}

/** Of a run as it was before: who purged it, or which others hold rows of its file. */
async function notesOf(run: Run | null, ledger: Ledger): Promise<string[]> {
  if (run === null) return [];
  if (run.purged?.isDone === true)
    return [`Run ${run.id} was ${purgedWords(run.purged)}.`, ...(await journalsLeft(run, ledger))];
  const { runs } = await accountOf(run, ledger);
  const otherIds = runs.filter((id) => id !== run.id);
  const others = await Promise.all(otherIds.map((id) => findRun(ledger, id)));
  const left = others.filter(({ purged }) => purged?.isDone !== true);
  return left.map(({ id }) => `Run ${id} holds rows of its file, too: \`onboard purge --run ${id} --open\``);
}
