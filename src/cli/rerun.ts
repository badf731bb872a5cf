import type { Job } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { type Io, say, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOver, type Run } from '../model/run.ts';
import { resumeRun, setRunning } from '../runs/control.ts';
import { executeToEnd } from '../runs/execute.ts';
import { loadFittingJob, loadFittingJobFile } from '../runs/input.ts';
import { lookBeforeRerun, type NoRerun, registerRerun, rerunOutcomes, type Wanted } from '../runs/rerun.ts';
import { registeredRows } from '../runs/rows.ts';
import { definitionOf, findRun } from '../runs/status.ts';
import { type Session, type TargetSession, withSession } from '../session.ts';
import { ACCEPT_REDIS_SETTINGS, type AddCommand, collect } from './command.ts';
import { joinFor, tellResumed } from './control.ts';
import { tellEnded } from './ended.ts';

type Flags = {
  readonly only: readonly string[];
  readonly job?: string;
  readonly jobFile?: string;
  readonly acceptRedisSettings?: boolean;
  readonly logFile?: string;
  readonly json?: boolean;
};

const ONLY = 'of rejected, failed, denied, invalid, cancelled, separated by commas; without it: all of them';

/** `onboard rerun <run>`: the rows of a run that did not succeed, as a new run. */
export const addRerunCommand: AddCommand = (program, io, done) => {
  program
    .command('rerun')
    .description('Take the rows of a run that did not succeed up again, as a run of their own')
    .argument('<run>', 'id of a run that is over, from `onboard runs`')
    .option('--only <outcomes>', ONLY, collect, [])
    .option('--job <job>', 'a corrected job definition in ONBOARD_JOBS; without it: the one the run had')
    .option('--job-file <file>', 'a corrected job definition from elsewhere')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (run: string, flags: Flags) => done(await rerun(run, flags, io)));
};

async function rerun(id: string, flags: Flags, io: Io): Promise<number> {
  const outcomes = rerunOutcomes(flags.only);
  return withSession(io, flags.logFile, async (session) => {
    const parent = await findRun(session.ledger, id);
    if (!isOver(parent)) throw new UsageError(notOver(parent));
    const job = await jobOf(parent, flags, session);
    if (job.definition.operation !== parent.operation) throw new UsageError(otherOperation(job, parent));
    // What doesn't fit the columns is said before anything is registered.
    mappingFor(job.definition, parent.source);
    return takeUp({ parent, job, outcomes }, session, flags);
  });
}

function otherOperation({ name, definition }: Job, parent: Run): string {
  return (
    `The job ${name} is for ${definition.operation}, and run ${parent.id} was for ${parent.operation}: ` +
    'expected a definition of the same operation.'
  );
}

async function takeUp(wanted: Wanted, session: Session, flags: Flags): Promise<number> {
  const { ledger } = session;
  const join = joinFor(wanted.parent, session, flags);
  const early = await lookBeforeRerun(wanted, ledger);
  if (early !== null) return tellNoRerun(early, join, { session, flags });
  // Chosen only from a ledger that has been verified.
  const joined = await join();
  const begun = await registerRerun(wanted, ledger);
  if (begun.kind !== 'registered') return tellNoRerun(begun, join, { session, flags });
  for (const line of begun.lines) tell(session.io, line);
  await setRunning(begun.run, ledger);
  const { service } = joined;
  const run = await findRun(ledger, begun.run.id);
  return tellEnded(await executeToEnd(run, await registeredRows(run, ledger), joined), session, {
    service,
    flags,
  });
}

async function tellNoRerun(
  no: NoRerun,
  join: () => Promise<TargetSession>,
  { session, flags }: { readonly session: Session; readonly flags: Flags },
): Promise<number> {
  if (no.kind === 'nothing') {
    for (const line of no.lines) say(session.io, line);
    return 0;
  }
  tell(session.io, `Run ${no.run.id} of such rows is not over: it is gone on with instead of a new one.`);
  return tellResumed(no.run, await resumeRun(no.run, session, join), { session, flags });
}

async function jobOf(parent: Run, { job, jobFile }: Flags, { env, ledger }: Session): Promise<Job> {
  if (job !== undefined && jobFile !== undefined) {
    throw new UsageError('--job and --job-file: expected one of them.');
  }
  if (jobFile !== undefined) return loadFittingJobFile(jobFile);
  if (job !== undefined) return loadFittingJob(job, env.jobsDirectory);
  return { name: parent.job, definition: await definitionOf(parent, ledger) };
}

function notOver({ id, state }: Run): string {
  const command = state === 'cancelled' ? 'cancel' : 'resume';
  return (
    `Run ${id} is ${state} and has rows without an outcome: expected one that is over. ` +
    `\`onboard ${command} ${id}\` takes it to its end.`
  );
}

const EXAMPLE = `
Examples:
  onboard rerun 20261121-034512-k3f9
  onboard rerun 20261121-034512-k3f9 --only invalid,rejected --job-file corrected.yaml`;
