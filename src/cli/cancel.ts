import { setTimeout as delay } from 'node:timers/promises';
import { type Io, say, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOver, type Run } from '../model/run.ts';
import { readSummary } from '../report/report.ts';
import { carryRun, close, reportOf } from '../runs/carry-run.ts';
import { findRun } from '../runs/find-run.ts';
import { type RowSource, registeredRowsLater } from '../runs/row-source.ts';
import { reportDirectory } from '../session.ts';
import type { AddCommand } from './command.ts';
import { type Ground, onGround } from './open-desk.ts';
import { nowhere, openQuietDesk } from './quiet-desk.ts';
import type { RunDesk } from './run-desk.ts';

type Flags = { readonly json?: boolean; readonly logFile?: string };

/** `onboard cancel <run>`: nothing more of the run is sent, ever, and every row gets its outcome. */
export const addCancelCommand: AddCommand = (program, io, done) => {
  program
    .command('cancel')
    .description('Give a run up for good: rows in flight are settled, all others are cancelled')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .option('--log-file <file>', 'write the log there')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard cancel 20261121-034512-k3f9')
    .action(async (run: string, flags: Flags) => done(await cancel(run, flags, io)));
};

async function cancel(id: string, flags: Flags, io: Io): Promise<number> {
  return onGround(io, flags.logFile, async (ground) => {
    const before = await findRun(ground.ledger, id);
    await ground.ledger.of(before.target).store.transition(id, 'cancelled', null);
    const run = await findRun(ground.ledger, id);
    if (run.state !== 'cancelled') throw new UsageError(ended(run));
    if (before.state === 'cancelled' && isOver(run)) {
      say(
        io,
        `Run ${id} is cancelled already; every row has its outcome. \`onboard report ${id}\` shows it.`,
      );
      return 0;
    }
    tell(io, `Run ${id} is cancelled: nothing more of it is sent. Its rows get their outcomes.`);
    return windUp(run, ground, flags);
  });
}

/** What is done here needs no service: whoever else works for the run settles what it has in flight. */
async function windUp(run: Run, ground: Ground, flags: Flags): Promise<number> {
  const desk = await openQuietDesk(ground, nowhere(run.target), flags);
  const rows = toldOf(run, ground);
  const ended = await carryRun(run, rows.source, desk);
  const isReported = !rows.wereUsed() && (await isReportedElsewhere(ended, desk));
  const summary = isReported ? await readSummary(reportDirectory(desk.env, run.id)) : null;
  const exitCode = close(ended, summary ?? (await reportOf(ended, desk)), desk);
  // The exit status of a run that was cancelled; of this command it is what was asked for.
  return exitCode === 2 && isOver(ended) ? 0 : exitCode;
}

/** The run's rows, with a word to the user where they can't be read any more; knows whether this process came to read them. */
function toldOf(run: Run, { io, ledger }: Ground): { readonly source: RowSource; wereUsed(): boolean } {
  const source = registeredRowsLater(run, ledger);
  let used = false;
  return {
    wereUsed: () => used,
    async source(again, format) {
      const isFirst = !used;
      used = true;
      try {
        return await source(again, format);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        for (const problem of isFirst ? error.problems : []) tell(io, `warning: ${problem}`);
        if (isFirst) tell(io, 'Rows that were not handed out yet are recorded without line and key.');
        return null;
      }
    },
  };
}

const REPORT_WAIT_MS = 10_000;
const REPORT_POLL_MS = 100;

/** Whether the process that wound the run up has written its report, as it should within seconds. */
async function isReportedElsewhere(run: Run, { env, io }: RunDesk): Promise<boolean> {
  const deadline = performance.now() + REPORT_WAIT_MS;
  while (performance.now() < deadline && !io.interrupted.aborted) {
    const summary = await readSummary(reportDirectory(env, run.id));
    if (summary?.state === 'cancelled' && summary.open === 0 && summary.files.length > 0) return true;
    await delay(REPORT_POLL_MS);
  }
  return false;
}

function ended({ id, state }: Run): string {
  return `Run ${id} is ${state}: expected one that has not ended, there is nothing left to cancel.`;
}
