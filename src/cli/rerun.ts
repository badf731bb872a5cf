/** `onboard rerun <run>`: the rows of a run that did not succeed, as a new run. */
import { type Io, say } from '../lib/terminal.ts';
import { rerunOutcomes, rerunRows } from '../runs/rerun.ts';
import { findRun } from '../runs/status.ts';
import { withKnownLedger } from '../session.ts';
import { ACCEPT_REDIS_SETTINGS, type AddCommand, collect, RUN_ARGUMENT } from './command.ts';
import { joinFor, tellResumed } from './control.ts';

type Flags = {
  readonly only?: readonly string[];
  readonly job?: string;
  readonly jobFile?: string;
  readonly acceptRedisSettings?: boolean;
  readonly json?: boolean;
};

const ONLY = 'of rejected, failed, denied, invalid, cancelled, separated by commas; without it: all of them';

export const addRerunCommand: AddCommand = (program, io, done) => {
  program
    .command('rerun')
    .description('Send the rows of a run that did not succeed again, as a new run')
    .argument('<run>', `the run whose rows are taken up: ${RUN_ARGUMENT}`)
    .option('--only <outcomes>', ONLY, collect)
    .option('--job <job>', 'a corrected job definition in ONBOARD_JOBS; without it: the one the run had')
    .option('--job-file <file>', 'a corrected job definition from elsewhere')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (run: string, flags: Flags) => done(await rerun(run, flags, io)));
};

async function rerun(id: string, flags: Flags, io: Io): Promise<number> {
  const { job, jobFile, only = [] } = flags;
  const outcomes = rerunOutcomes(only);
  return withKnownLedger(io, async (session) => {
    const parent = await findRun(session.ledger, id);
    const join = joinFor(parent, session, flags);
    const done = await rerunRows(parent, { outcomes, rows: null, job, jobFile }, session, join);
    if (done.kind === 'run') return tellResumed(done.run, done.resumed, { session, flags });
    for (const line of done.lines) say(io, line);
    return 0;
  });
}

const EXAMPLE = `
Examples:
  onboard rerun 20261121-034512-k3f9
  onboard rerun 20261121-034512-k3f9 --only invalid,rejected --job-file corrected.yaml`;
