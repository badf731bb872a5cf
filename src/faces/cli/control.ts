/** `onboard pause`, `resume`, `approve`, `cancel`, `rerun`: what a person does with a run. */
import { Option } from 'commander';
import { SANDBOX_TARGET, serviceOf } from '../../delivery/target.ts';
import { type Io, say, shownTime, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { shownWorker } from '../../lib/worker-id.ts';
import { EXIT } from '../../model/exit.ts';
import { isOver, type Run } from '../../model/run.ts';
import { createRowCheck } from '../../runs/check/file.ts';
import {
  approveRun,
  assertCanGo,
  cancelRun,
  letGo,
  liftHold,
  longHold,
  pauseRun,
  type Resumed,
  resumeRun,
  windUpCancelled,
} from '../../runs/control.ts';
import { tellEvents } from '../../runs/events.ts';
import { goOnCommand } from '../../runs/report/advice.ts';
import { approvalFacts } from '../../runs/report/words.ts';
import { rerunOutcomes, rerunRows } from '../../runs/rerun.ts';
import { findRun, stateOf } from '../../runs/status.ts';
import { joinTarget, type Session, type TargetSession, withKnownLedger } from '../../session.ts';
import {
  ACCEPT_REDIS_SETTINGS,
  type AddCommand,
  collect,
  type EndedFlags,
  REASON,
  type RequestFlags,
  RUN_ARGUMENT,
  requestOf,
  tellEnded,
} from './command.ts';

export const addPauseCommand: AddCommand = (program, io, done) => {
  program
    .command('pause')
    .description('Stop sending rows of a run, in every process; rows in flight are settled')
    .argument('<run>', RUN_ARGUMENT)
    .option(...REASON)
    .addHelpText(
      'after',
      '\nExample:\n  onboard pause 20261121-034512-k3f9 --reason "the partner sends a new file"',
    )
    .action(async (run: string, flags: RequestFlags) => done(await pause(run, flags, io)));
};

async function pause(named: string, flags: RequestFlags, io: Io): Promise<number> {
  const request = requestOf(flags, io);
  return withKnownLedger(io, async (session) => {
    const { run, wasRunning } = await pauseRun(await findRun(session.ledger, named), request, session);
    const { id } = run;
    const now = wasRunning ? 'paused: nothing more of it is sent' : `${stateOf(run, false).words} already`;
    say(io, `Run ${id} is ${now}.`, `To go on: ${goOnCommand(run)}`);
    return 0;
  });
}

type ResumeFlags = EndedFlags & {
  readonly yes?: boolean;
  readonly acceptRedisSettings?: boolean;
};

export const addResumeCommand: AddCommand = (program, io, done) => {
  program
    .command('resume')
    .description('Continue a run that was paused, was stopped or lost its process')
    .argument('<run>', RUN_ARGUMENT)
    .option(
      '--yes',
      'even if the service has asked for a long pause or refuses all rows alike, or the file is unusual',
    )
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard resume 20261121-034512-k3f9')
    .action(async (run: string, flags: ResumeFlags) => done(await resume(run, flags, io)));
};

async function resume(named: string, flags: ResumeFlags, io: Io): Promise<number> {
  return withKnownLedger(io, async (session) => {
    const run = await findRun(session.ledger, named);
    assertCanGo(run, flags.yes === true);
    const until = await longHold(run, session.ledger);
    if (until !== null) await lift(run, until, { session, flags });
    if (run.reason === 'same-refusal' && flags.yes === true)
      await session.ledger.of(run.target).store.lift(run.id, run.reason);
    const joined = await joinFor(run, session, flags);
    await letGo(run, requestOf({}, io), joined);
    return tellResumed(run, await resumeRun(run, joined), joined, flags);
  });
}

async function lift(
  run: Run,
  until: Date,
  { session: { io, ledger }, flags }: { readonly session: Session; readonly flags: ResumeFlags },
): Promise<void> {
  const time = shownTime(until, 'UTC', { seconds: true });
  const asked = `The service at ${run.target} has asked for a pause until ${time} (Retry-After).`;
  if (flags.yes !== true)
    throw new UsageError([
      `${asked} To go on before lifts that for every run that goes there: requests go out at once, and the service may refuse them all, or shut this caller out.`,
      `Wait until then, or: onboard resume ${run.id} --yes`,
    ]);
  await liftHold(run, ledger);
  tell(io, `${asked} That is lifted.`);
}

type JoinFlags = EndedFlags & { readonly acceptRedisSettings?: boolean };

async function joinFor({ target }: Run, session: Session, flags: JoinFlags): Promise<TargetSession> {
  const acceptsSettings = flags.acceptRedisSettings;
  const join = { sends: true, acceptsSettings, isFollowed: true };
  const joined = await joinTarget(session, await serviceOf(target, session), join);
  await tellEvents(joined);
  return joined;
}

function tellResumed({ id }: Run, resumed: Resumed, session: TargetSession, flags: EndedFlags): number {
  if (resumed.kind === 'here') return tellEnded(resumed, session, flags);
  say(session.io, `Run ${id} goes on in ${shownWorker(resumed.owner)}, which reports it.`);
  return 0;
}

export const addApproveCommand: AddCommand = (program, io, done) => {
  program
    .command('approve')
    .description('Let a run go that another person has loaded, where its job asks for approval')
    .argument('<run>', RUN_ARGUMENT)
    .option(
      '--plan <digest>',
      'the plan that was looked at, as `onboard status` shows it: no other is approved',
    )
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard approve 20261121-034512-k3f9 --plan 5d41402abc4b2a76')
    .action(async (run: string, flags: ApproveFlags) => done(await approve(run, flags, io)));
};

type ApproveFlags = JoinFlags & { readonly plan?: string };

async function approve(named: string, flags: ApproveFlags, io: Io): Promise<number> {
  return withKnownLedger(io, async (session) => {
    const run = await findRun(session.ledger, named);
    const joined = await joinFor(run, session, flags);
    for (const [name, words] of approvalFacts(run)) tell(io, `${name}: ${words}`);
    return tellResumed(run, await approveRun(run, flags.plan ?? null, joined), joined, flags);
  });
}

type CancelFlags = RequestFlags & { readonly json?: boolean };

export const addCancelCommand: AddCommand = (program, io, done) => {
  program
    .command('cancel')
    .description('End a run early: rows in flight are settled, all others are cancelled')
    .argument('<run>', RUN_ARGUMENT)
    .option(...REASON)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard cancel 20261121-034512-k3f9')
    .action(async (run: string, flags: CancelFlags) => done(await cancel(run, flags, io)));
};

async function cancel(named: string, flags: CancelFlags, io: Io): Promise<number> {
  const request = requestOf(flags, io);
  return withKnownLedger(io, async (session) => {
    const before = await findRun(session.ledger, named);
    const { id } = before;
    const run = await cancelRun(before, request, session);
    if (before.state === 'cancelled' && isOver(run)) {
      say(
        io,
        `Run ${id} is cancelled already; every row has its outcome. \`onboard report ${id}\` shows it.`,
      );
      return EXIT.success;
    }
    tell(io, `Run ${id} is cancelled: nothing more of it is sent. Its rows get their outcomes.`);
    const ended = await windUpCancelled(run, session);
    const exitCode = tellEnded(ended, session, flags);
    // A cancelled run has status 2; for whoever asked for that, the command succeeded.
    return exitCode === EXIT.stopped && isOver(ended.run) ? EXIT.success : exitCode;
  });
}

type RerunFlags = {
  readonly only?: readonly string[];
  readonly job?: string;
  readonly jobFile?: string;
  readonly sandbox?: boolean;
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
    .addOption(new Option('--job-file <file>', 'a corrected job definition from elsewhere').conflicts('job'))
    .option('--sandbox', 'only where the run went to the built-in stand-in: rows go where they went before')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', RERUN_EXAMPLE)
    .action(async (run: string, flags: RerunFlags) => done(await rerun(run, flags, io)));
};

async function rerun(id: string, flags: RerunFlags, io: Io): Promise<number> {
  const { job, jobFile, only = [] } = flags;
  const asked = { outcomes: rerunOutcomes(only), rows: null, job, jobFile };
  return withKnownLedger(io, async (session) => {
    const parent = await findRun(session.ledger, id);
    if (flags.sandbox === true && parent.target !== SANDBOX_TARGET)
      throw new UsageError(
        `Run ${parent.id} went to ${parent.target}, and a rerun goes there too: leave out --sandbox. To rehearse its rows: onboard run JOB FILE --sandbox, with a file of its report.`,
      );
    const joined = await joinFor(parent, session, flags);
    const done = await rerunRows(parent, { ...asked, check: createRowCheck(session.ledger) }, joined);
    if (done.kind === 'run') return tellResumed(done.run, done.resumed, joined, flags);
    for (const line of done.lines) say(io, line);
    return 0;
  });
}

const RERUN_EXAMPLE = `
Examples:
  onboard rerun 20261121-034512-k3f9
  onboard rerun 20261121-034512-k3f9 --only invalid,rejected --job-file corrected.yaml`;
