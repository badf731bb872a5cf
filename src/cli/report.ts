import { resolve } from 'node:path';
import { createRunView } from '../ledger/run-view.ts';
import { type Io, say } from '../lib/terminal.ts';
import { writeReport } from '../report/report.ts';
import { renderSummary } from '../report/words.ts';
import { findRun, withLedger } from '../runs/find-run.ts';
import { reportDirectory } from '../session.ts';
import type { AddCommand } from './command.ts';

type Flags = { readonly out?: string; readonly json?: boolean };

/** `onboard report <run>`: the report again, from the ledger. */
export const addReportCommand: AddCommand = (program, io, done) => {
  program
    .command('report')
    .description('Write the report of a run again from the ledger, over the files that are there')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .option('--out <folder>', 'where to; default: ONBOARD_HOME/reports/<run>')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard report 20261121-034512-k3f9 --out ./report')
    .action(async (run: string, flags: Flags) => done(await writeAgain(run, flags, io)));
};

async function writeAgain(id: string, flags: Flags, io: Io): Promise<number> {
  return withLedger(io, async (ledger, env) => {
    const run = await findRun(ledger, id);
    const view = createRunView(ledger.redis, ledger.of(run.target).keys, run);
    const directory = flags.out === undefined ? reportDirectory(env, id) : resolve(flags.out);
    const summary = await writeReport({ run, view, directory, now: () => new Date() });
    say(io, flags.json === true ? JSON.stringify(summary) : renderSummary(summary, { directory }));
    return summary.controlTotal.holds ? 0 : 3;
  });
}
