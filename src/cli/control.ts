import { serviceOf } from '../delivery/target.ts';
import { shownWorker } from '../journal/worker-registry.ts';
import { type Io, say, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { countUnsuccessful } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import {
  cancelRun,
  pauseRun,
  type Resumed,
  resumeElsewhere,
  resumeRun,
  windUpCancelled,
} from '../runs/control.ts';
import { findRun, stateOf } from '../runs/status.ts';
import { joinTarget, type Session, type TargetSession, withSession } from '../session.ts';
import { ACCEPT_REDIS_SETTINGS, type AddCommand } from './command.ts';
import { type EndedFlags, tellEnded } from './ended.ts';

/** `onboard pause <run>`: nothing more of the run is sent, by nobody, until it is resumed. */
export const addPauseCommand: AddCommand = (program, io, done) => {
  program
    .command('pause')
    .description('Stop sending rows of a run, in every process; rows in flight are settled')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .addHelpText('after', '\nExample:\n  onboard pause 20261121-034512-k3f9')
    .action(async (run: string) => done(await pause(run, io)));
};

async function pause(id: string, io: Io): Promise<number> {
  return withSession(io, undefined, async (session) => {
    const moved = await pauseRun(await findRun(session.ledger, id), session);
    const run = await findRun(session.ledger, id);
    if (run.state === 'finished' || run.state === 'cancelled') {
      throw new UsageError(
        `Run ${id} is ${run.state}: expected one that is running or queued, there is nothing left to pause.`,
      );
    }
    const now = moved ? 'paused: nothing more of it is sent' : `${stateOf(run, false).words} already`;
    say(io, `Run ${id} is ${now}.\nTo go on: onboard resume ${id}`);
    return 0;
  });
}

type ResumeFlags = EndedFlags & {
  /** False: `--no-follow`. */
  readonly follow: boolean;
  readonly acceptRedisSettings?: boolean;
  readonly logFile?: string;
};

/** `onboard resume <run>`: a run that was paused or left goes on, to its end. */
export const addResumeCommand: AddCommand = (program, io, done) => {
  program
    .command('resume')
    .description('Go on with a run that is paused, stopped or left by its process, to its end')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .option('--no-follow', 'only let workers elsewhere go on with what they have')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard resume 20261121-034512-k3f9')
    .action(async (run: string, flags: ResumeFlags) => done(await resume(run, flags, io)));
};

async function resume(id: string, flags: ResumeFlags, io: Io): Promise<number> {
  return withSession(io, flags.logFile, async (session) => {
    const run = await findRun(session.ledger, id);
    if (run.state === 'finished' || run.state === 'cancelled') throw new UsageError(cannotGoOn(run));
    if (!flags.follow) {
      await resumeElsewhere(run, session);
      say(io, `Run ${id} is running: workers go on with the rows that are queued.`);
      return 0;
    }
    return tellResumed(run, await resumeRun(run, session, joinFor(run, session, flags)), { session, flags });
  });
}

type JoinFlags = EndedFlags & { readonly acceptRedisSettings?: boolean };

/** Joins the run's target when it is asked, the same for every asking. */
export function joinFor({ target }: Run, session: Session, flags: JoinFlags): () => Promise<TargetSession> {
  let joined: Promise<TargetSession> | null = null;
  const join = async () =>
    joinTarget(session, await serviceOf(target, session), {
      sends: true,
      acceptsSettings: flags.acceptRedisSettings,
    });
  return () => {
    joined ??= join();
    return joined;
  };
}

/** Says what came of it, and answers the command's exit status. */
export function tellResumed(
  { id }: Run,
  resumed: Resumed,
  { session, flags }: { readonly session: Session; readonly flags: EndedFlags },
): number {
  if (resumed.kind === 'here') return tellEnded(resumed, session, { service: resumed.service, flags });
  say(session.io, `Run ${id} goes on in ${shownWorker(resumed.owner)}, which reports it.`);
  return 0;
}

/** Why a run that has ended can't go on, with the command for what is left of it. */
export function cannotGoOn(run: Run): string {
  return `Run ${run.id} is ${run.state}: expected one that can go on. ${leftOf(run)}.`;
}

function leftOf(run: Run): string {
  const { id, state, outcomes } = run;
  const rerun = `\`onboard rerun ${id}`;
  if (!isOver(run))
    return `\`onboard cancel ${id}\` winds it up; then ${rerun} --only cancelled\` takes up what was not sent`;
  if (state === 'cancelled' && outcomes.cancelled > 0)
    return `${rerun} --only cancelled\` takes up what was not sent`;
  const doubtful = outcomes['in-doubt'];
  if (countUnsuccessful(outcomes) > doubtful) return `${rerun}\` takes up the rows that did not succeed`;
  if (doubtful > 0) return `\`onboard resolve ${id}\` settles its rows in doubt`;
  return `Nothing is left to be done; \`onboard report ${id}\` shows it`;
}

type CancelFlags = { readonly json?: boolean; readonly logFile?: string };

/** `onboard cancel <run>`: nothing more of the run is sent, ever, and every row gets its outcome. */
export const addCancelCommand: AddCommand = (program, io, done) => {
  program
    .command('cancel')
    .description('Give a run up for good: rows in flight are settled, all others are cancelled')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .option('--log-file <file>', 'write the log there')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExample:\n  onboard cancel 20261121-034512-k3f9')
    .action(async (run: string, flags: CancelFlags) => done(await cancel(run, flags, io)));
};

async function cancel(id: string, flags: CancelFlags, io: Io): Promise<number> {
  return withSession(io, flags.logFile, async (session) => {
    const before = await findRun(session.ledger, id);
    const run = await cancelRun(before, session);
    if (run.state !== 'cancelled') {
      throw new UsageError(
        `Run ${id} is ${run.state}: expected one that has not ended, there is nothing left to cancel.`,
      );
    }
    if (before.state === 'cancelled' && isOver(run)) {
      say(
        io,
        `Run ${id} is cancelled already; every row has its outcome. \`onboard report ${id}\` shows it.`,
      );
      return 0;
    }
    tell(io, `Run ${id} is cancelled: nothing more of it is sent. Its rows get their outcomes.`);
    const ended = await windUpCancelled(run, session);
    const exitCode = tellEnded(ended, session, { service: null, flags });
    // The exit status of a run that was cancelled; of this command it is what was asked for.
    return exitCode === 2 && isOver(ended.run) ? 0 : exitCode;
  });
}
