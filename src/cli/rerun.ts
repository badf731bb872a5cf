import type { Job } from '../config/job-definition.ts';
import { type Io, say, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOver, type Run } from '../model/run.ts';
import { carryToEnd } from '../runs/carry-run.ts';
import { chooseRerun, lookBeforeChoice } from '../runs/choose-rerun.ts';
import { findRun } from '../runs/find-run.ts';
import { loadFittingJob, loadFittingJobFile } from '../runs/fitting-job.ts';
import { rerunOutcomes } from '../runs/rerun-outcomes.ts';
import type { Wanted } from '../runs/rerun-rows.ts';
import { registeredRows } from '../runs/row-source.ts';
import { mappingFor } from '../session.ts';
import { type AddCommand, collect } from './command.ts';
import { type Ground, onGround, openDesk, serviceOf } from './open-desk.ts';
import { ACCEPT_REDIS_SETTINGS } from './redis-settings.ts';
import { resumeHere } from './resume.ts';
import type { RunDesk } from './run-desk.ts';

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
    .option('--job <job>', 'a mended job definition in ONBOARD_JOBS; without it: the one the run had')
    .option('--job-file <file>', 'a mended job definition from elsewhere')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (run: string, flags: Flags) => done(await rerun(run, flags, io)));
};

async function rerun(id: string, flags: Flags, io: Io): Promise<number> {
  const outcomes = rerunOutcomes(flags.only);
  return onGround(io, flags.logFile, async (ground) => {
    const parent = await findRun(ground.ledger, id);
    if (!isOver(parent)) throw new UsageError(notOver(parent));
    const job = await jobOf(parent, flags, ground);
    if (job.definition.operation !== parent.operation) throw new UsageError(otherOperation(job, parent));
    // What doesn't fit the columns is said before anything is registered.
    mappingFor(job.definition, parent.source);
    return takeUp({ parent, job, outcomes }, ground, flags);
  });
}

function otherOperation({ name, definition }: Job, parent: Run): string {
  return (
    `The job ${name} is for ${definition.operation}, and run ${parent.id} was for ${parent.operation}: ` +
    'expected a definition of the same operation.'
  );
}

async function takeUp(wanted: Wanted, ground: Ground, flags: Flags): Promise<number> {
  const open = async () => openDesk(ground, await serviceOf(wanted.parent.target, ground), flags);
  const early = await lookBeforeChoice(wanted, ground);
  if (early?.kind === 'nothing') return tellNothing(early.lines, ground);
  if (early?.kind === 'unfinished') return goOnInstead(early.run, ground, open);
  // Chosen only from a ledger that has been verified: Redis may have forgotten a rerun of the same rows.
  const desk = await open();
  for (;;) {
    const choice = await chooseRerun(wanted, ground);
    switch (choice.kind) {
      case 'nothing':
        return tellNothing(choice.lines, ground);
      case 'unfinished':
        return goOnInstead(choice.run, ground, async () => desk);
      case 'chosen': {
        for (const line of choice.lines) tell(ground.io, line);
        const run = await choice.register();
        if (run !== null) return carryNew(run, desk);
        // Another rerun was registered meanwhile, perhaps of the same rows.
        break;
      }
      default:
        return choice satisfies never;
    }
  }
}

function tellNothing(lines: readonly string[], { io }: Ground): number {
  for (const line of lines) say(io, line);
  return 0;
}

function goOnInstead(run: Run, ground: Ground, open: () => Promise<RunDesk>): Promise<number> {
  tell(ground.io, `Run ${run.id} of such rows is not over: it is gone on with instead of a new one.`);
  return resumeHere(run, ground, open);
}

async function carryNew(run: Run, desk: RunDesk): Promise<number> {
  const { store } = desk.ledger.of(run.target);
  await store.transition(run.id, 'running', null);
  return carryToEnd((await store.get(run.id)) ?? run, await registeredRows(run, desk.ledger), desk);
}

async function jobOf(parent: Run, { job, jobFile }: Flags, { env, ledger }: Ground): Promise<Job> {
  if (job !== undefined && jobFile !== undefined) {
    throw new UsageError('--job and --job-file: expected one of them.');
  }
  if (jobFile !== undefined) return loadFittingJobFile(jobFile);
  if (job !== undefined) return loadFittingJob(job, env.jobsDirectory);
  const definition = await ledger.of(parent.target).store.definition(parent.id);
  if (definition === null) throw new Error(`run ${parent.id} is gone from the ledger`);
  return { name: parent.job, definition };
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
  onboard rerun 20261121-034512-k3f9 --only invalid,rejected --job-file mended.yaml`;
