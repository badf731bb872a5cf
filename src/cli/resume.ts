import { shownMember } from '../journal/member.ts';
import { type Io, say } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { unsuccessfulRows } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import { createChunkQueue } from '../queue/chunk-queue.ts';
import { carryToEnd } from '../runs/carry-run.ts';
import { findRun } from '../runs/find-run.ts';
import { registeredRows } from '../runs/row-source.ts';
import { ownerOf } from '../runs/run-owner.ts';
import type { AddCommand } from './command.ts';
import { type Ground, onGround, openDesk, serviceOf } from './open-desk.ts';
import { ACCEPT_REDIS_SETTINGS } from './redis-settings.ts';
import type { RunDesk } from './run-desk.ts';

type Flags = {
  /** False: `--no-follow`. */
  readonly follow: boolean;
  readonly acceptRedisSettings?: boolean;
  readonly logFile?: string;
  readonly json?: boolean;
};

/** `onboard resume <run>`: a run that was paused or left is carried on to its end. */
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
    .action(async (run: string, flags: Flags) => done(await resume(run, flags, io)));
};

async function resume(id: string, flags: Flags, io: Io): Promise<number> {
  return onGround(io, flags.logFile, async (ground) => {
    const run = await findRun(ground.ledger, id);
    if (run.state === 'finished' || run.state === 'cancelled') throw new UsageError(ended(run));
    const open = async () => openDesk(ground, await serviceOf(run.target, ground), flags);
    return flags.follow ? resumeHere(run, ground, open) : letGoOn(run, ground);
  });
}

/** Carries a run that has not ended on in this process, unless another one does; `open` is asked once that is sure. */
export async function resumeHere(run: Run, ground: Ground, open: () => Promise<RunDesk>): Promise<number> {
  const { io, ledger } = ground;
  const { store } = ledger.of(run.target);
  if ((await store.leaseOf(run.id)) !== null) {
    await setRunning(run, ground);
    const owner = await ownerOf(run, store, io.interrupted);
    if (owner !== null) {
      say(io, `Run ${run.id} goes on in ${shownMember(owner)}, which reports it.`);
      return 0;
    }
  }
  // All that can be wrong is found before the run goes on.
  const source = await registeredRows(run, ledger);
  const desk = await open();
  await setRunning(run, ground);
  return carryToEnd((await store.get(run.id)) ?? run, source, desk);
}

async function letGoOn(run: Run, ground: Ground): Promise<number> {
  await setRunning(run, ground);
  const { keys } = ground.ledger.of(run.target);
  const queue = createChunkQueue(ground.ledger.redis, keys.queuePrefix, (error) =>
    ground.log.warn('queue', { problem: error.message }),
  );
  await queue.promote(run.id);
  await queue.close();
  say(ground.io, `Run ${run.id} is running: workers go on with the rows that are queued.`);
  return 0;
}

async function setRunning({ id, target, rows }: Run, { ledger }: Ground): Promise<void> {
  await ledger.of(target).store.transition(id, rows === 0 ? 'finished' : 'running', null);
}

/** Why a run that has ended can't go on, with the command for what is left of it. */
export function ended(run: Run): string {
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
  if (unsuccessfulRows(outcomes) > doubtful) return `${rerun}\` takes up the rows that did not succeed`;
  if (doubtful > 0) return `\`onboard resolve ${id}\` settles its rows in doubt`;
  return `Nothing is left to be done; \`onboard report ${id}\` shows it`;
}
