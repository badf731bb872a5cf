/** `onboard run`: files taken to their end in this process, one after the other. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jobsBefore, operationOf } from '../../config/job-definition.ts';
import { serviceReady } from '../../delivery/target.ts';
import type { ListenAddress } from '../../lib/listening.ts';
import { confirm, countOf, type Io, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT, endsSeries, worse } from '../../model/exit.ts';
import type { FileFacts } from '../../model/source.ts';
import { nameOf } from '../../operations/own.ts';
import { createRowCheck, holdTo } from '../../runs/check/file.ts';
import { assertPlanOf, type PlanFile, readPlan } from '../../runs/check/plan-file.ts';
import { tellEvents } from '../../runs/events.ts';
import { executeToEnd } from '../../runs/execute.ts';
import { cautions, type Input, type InputArguments, loadInput } from '../../runs/input.ts';
import { beginFile, startStandIn, waitForJobs } from '../../runs/register.ts';
import { fileRows } from '../../runs/rows.ts';
import { hasRunsAt } from '../../runs/status.ts';
import { tellVitals } from '../../runs/vitals.ts';
import {
  type CommandParts,
  joinTarget,
  openSession,
  prepareHome,
  type TargetSession,
  withCommand,
} from '../../session.ts';
import {
  ACCEPT_REDIS_SETTINGS,
  type AddCommand,
  FRESH,
  METRICS,
  refuseSeveral,
  tellEnded,
} from './command.ts';

type Flags = {
  readonly jobFile?: string;
  readonly sandbox?: boolean;
  readonly fresh?: boolean;
  readonly again?: boolean;
  readonly yes?: boolean;
  readonly acceptRedisSettings?: boolean;
  readonly metrics?: ListenAddress;
  readonly json?: boolean;
  readonly plan?: string;
};

export const addRunCommand: AddCommand = (program, io, done) => {
  program
    .command('run')
    .description('Load one file, or several in order, by a job definition')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS')
    .argument('[files...]', 'CSV, JSON, NDJSON or Excel (.xlsx) files')
    .option('--job-file <file>', 'a job definition from elsewhere, instead of <job>')
    .option('--sandbox', 'send to the built-in stand-in instead of MSB_BASE_URL: a rehearsal')
    .addOption(FRESH)
    .option('--plan <file>', 'send what this plan of `onboard check --out` says, or nothing')
    .option('--again', 'make a new run, even if this file has been loaded before')
    .option('--yes', 'begin even the first run of a new ledger without asking at the terminal')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option(...METRICS)
    .option('--json', 'print the summary as JSON, a line per file')
    .addHelpText('after', EXAMPLE)
    .action(async (job: string | undefined, files: readonly string[], flags: Flags) =>
      done(await runFiles({ job, files, jobFile: flags.jobFile, command: 'run' }, flags, io)),
    );
};

async function runFiles(args: InputArguments, flags: Flags, io: Io): Promise<number> {
  return withCommand(io, async (command) => {
    const input = await loadInput(command.env, args);
    const planned = await plannedBy(flags, input);
    for (const caution of cautions(input.job, input.files)) tell(io, `warning: ${caution}`);
    const joined = await joinToRun(input, flags, command);
    if (joined === null) return EXIT.notStarted;
    return runInOrder(input, joined, { ...flags, planned });
  });
}

type JoinFlags = Pick<Flags, 'sandbox' | 'fresh' | 'yes' | 'acceptRedisSettings' | 'metrics'>;

/** The service and its ledger, ready for runs of these files; `null`: somebody said no. */
export async function joinToRun(
  input: Input,
  flags: JoinFlags,
  command: CommandParts,
): Promise<TargetSession | null> {
  const { env, io } = command;
  const outside = flags.sandbox === true ? null : await serviceReady(env, io);
  const asks = outside !== null && flags.yes !== true;
  const mayBegin = async (isFirst: boolean, ledger: string) =>
    !asks || !isFirst || (await confirmFirst(input, outside.target, ledger, io));
  const hasLedger = env.redis !== null || existsSync(join(env.home, 'redis'));
  // Where there is no ledger yet, a no leaves none behind.
  if (!(await mayBegin(!hasLedger, env.home))) return null;
  const isNew = await prepareHome(env);
  const session = await openSession(command, flags);
  const service = outside ?? (await startStandIn(session, flags.fresh === true));
  // A Redis of the user's own may know of runs from elsewhere.
  if (isNew && env.redis === null)
    tell(io, `A new ledger begins in ${env.home}: it knows of no earlier run.`);
  const isFirst = hasLedger && !(await hasRunsAt(service.target, session.ledger));
  if (!(await mayBegin(isFirst, session.ledger.name))) return null;
  const terms = { sends: true, acceptsSettings: flags.acceptRedisSettings, isFollowed: true };
  const joined = await joinTarget(session, service, terms);
  await tellVitals(joined);
  await tellEvents(joined);
  return joined;
}

/** `null`: by none. */
type Planned = Flags & { readonly planned: PlanFile | null };

const NO_AGAIN = '--plan: expected without --again: a plan is for a file that has no run yet';

async function plannedBy({ plan, again }: Flags, { files }: Input): Promise<PlanFile | null> {
  if (plan === undefined) return null;
  if (again === true) throw new UsageError(NO_AGAIN);
  refuseSeveral('--plan', files);
  const planned = await readPlan(plan);
  assertPlanOf(planned, files[0]?.sha256);
  return planned;
}

/** Before the first run that a ledger has for a service. */
async function confirmFirst({ job, files }: Input, target: string, ledger: string, io: Io): Promise<boolean> {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const operation = nameOf(operationOf(job.definition));
  const what = `${countOf(rows, 'row')} for ${operation} at ${target}`;
  const answer = await confirm(io, `${what}, the first run there in the ledger of ${ledger}. Begin?`);
  if (answer === false)
    tell(io, 'Nothing is sent. To begin without this question: --yes; to rehearse: --sandbox.');
  return answer ?? true;
}

/** Where a file's run does not finish, the files after it are not begun: they may build on it. */
async function runInOrder({ job, files }: Input, session: TargetSession, flags: Planned): Promise<number> {
  let worst = 0;
  for (const facts of files) {
    if (!(await waitForJobs(jobsBefore(job.definition), session.service.target, session))) {
      const { io } = session;
      tell(io, 'Interrupted before the run was begun: nothing is sent.', `To go on: ${io.typed}`);
      return EXIT.interrupted;
    }
    const exitCode = await runFile(facts, job, { session, flags });
    if (endsSeries(exitCode)) return exitCode;
    worst = worse(worst, exitCode);
  }
  return worst;
}

async function runFile(
  facts: FileFacts,
  job: Input['job'],
  { session, flags }: { readonly session: TargetSession; readonly flags: Planned },
): Promise<number> {
  const { planned, again = false } = flags;
  const { ledger, service } = session;
  const held = planned === null ? { check: createRowCheck(ledger) } : holdTo(planned, job, ledger);
  const file = { facts, job, target: service.target, again, ...held };
  const run = await beginFile(file, session);
  return tellEnded(await executeToEnd(run, fileRows(facts), session), session, flags);
}

const EXAMPLE = `
Examples:
  onboard run subclients-create portfolio.csv
  onboard run --job-file partner-x.yaml march.csv april.csv --json
  onboard check subclients-create portfolio.csv && onboard run subclients-create portfolio.csv
  onboard run counterparty-drafts payees.json --sandbox

The same file again goes on with an unfinished run; after a finished one nothing is sent, unless --again.`;
