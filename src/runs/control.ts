/**
 * Pause, resume and cancel a run. The state changes in the ledger, which every process of the run
 * sees; a run that no process reads is executed, or wound up, in this one. Where the state forbids
 * it, a UsageError says what is left to do.
 */
import { awayMsOf } from '../config/send-settings.ts';
import { nowhere } from '../delivery/target.ts';
import { trustAdopted } from '../engine/ledger/adoption.ts';
import { createSharedBreaker } from '../engine/ledger/breaker.ts';
import { messageOf } from '../lib/errors.ts';
import { isUserTold } from '../lib/machine.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import { whyNotApproved } from '../model/approval.ts';
import {
  awaitsApproval,
  awaitsPerson,
  isForPeople,
  isOver,
  type Run,
  type StateRequest,
} from '../model/run.ts';
import { joinTarget, type Ledger, type Session, type TargetSession } from '../session.ts';
import { executeToEnd } from './execute.ts';
import { ownerOf, setRunning } from './register.ts';
import { waitForReplica } from './replicas.ts';
import { waysOut, wayWords } from './report/advice.ts';
import { type RowSource, registeredRows } from './rows.ts';
import { definitionOf, type Executed, findRun, serviceReport } from './status.ts';

/** In every process, until it is resumed; answers the run, and whether it was running. */
export async function pauseRun(
  { id, target }: Run,
  request: StateRequest,
  { ledger }: Pick<Session, 'ledger'>,
): Promise<{ readonly run: Run; readonly wasRunning: boolean }> {
  const wasRunning = await ledger.of(target).store.transition(id, 'paused', 'requested', request);
  const run = await findRun(ledger, id);
  if (!mayGoOn(run)) {
    throw new UsageError(
      `Run ${id} is ${run.state}: expected one that is running or queued, there is nothing left to pause.`,
    );
  }
  return { run, wasRunning };
}

function mayGoOn({ state }: Run): boolean {
  return state !== 'finished' && state !== 'cancelled';
}

/** End of a hold that is so long that the run would pause again at once; `null`: it may go on. */
export async function longHold(run: Run, ledger: Ledger): Promise<Date | null> {
  const [{ heldUntil }, definition] = await Promise.all([
    serviceReport(ledger, run.target),
    definitionOf(run, ledger),
  ]);
  if (heldUntil === null) return null;
  return Date.parse(heldUntil) - Date.now() > awayMsOf(definition) ? new Date(heldUntil) : null;
}

export async function liftHold({ target }: Run, { redis, of }: Ledger): Promise<void> {
  await createSharedBreaker(redis, of(target).keys).liftHold();
}

/** `elsewhere`: another process reads the run's rows and reports it. */
export type Resumed =
  | ({ readonly kind: 'here' } & Executed)
  | { readonly kind: 'elsewhere'; readonly owner: string };

/**
 * Takes the run as far as it goes in this process, unless another one reads it. `known`: its rows,
 * where they have been looked at.
 */
export async function resumeRun(
  run: Run,
  session: TargetSession,
  onBegun: (run: Run) => void = () => undefined,
  known?: RowSource,
): Promise<Resumed> {
  const { ledger, io } = session;
  assertForActor(run, ledger);
  const { store } = ledger.of(run.target);
  if ((await store.leaseOf(run.id)) !== null) {
    await trustShown(run, session);
    await setRunning(run, store);
    const owner = await ownerOf(run, store, io.interrupted);
    if (owner !== null) return { kind: 'elsewhere', owner };
  }
  // All that can be wrong is found before the run goes on.
  const rows = known ?? (await registeredRows(run, ledger));
  onBegun(run);
  await trustShown(run, session);
  return { kind: 'here', ...(await executeToEnd(await setRunning(run, store), rows, session)) };
}

/** A UsageError where a machine would let go what waits for a person. */
export function assertForActor(run: Run, { of }: Pick<Ledger, 'of'>): void {
  const { id, target, reason } = run;
  if (of(target).keys.actor.via !== 'machine' || !isForPeople(run)) return;
  throw new UsageError(`Run ${id} waits (${reason}) for a person to look at it: no machine may let it go.`);
}

/** Whoever resumes a run that waits for that has seen what came of an adoption's first records. */
async function trustShown({ id, target, reason }: Run, { ledger }: Pick<Session, 'ledger'>): Promise<void> {
  if (reason !== 'adopted') return;
  const { keys } = ledger.of(target);
  const { name: by } = keys.actor;
  await trustAdopted(ledger.redis, keys, { run: id, by, at: new Date().toISOString() });
}

/**
 * The same by somebody else than who loaded it; recorded first, whoever reads the run. What was
 * looked at is what goes, by its digest. `plan`: that was shown; `null`: whatever the run's is.
 */
export async function approveRun(
  shown: Run,
  plan: string | null,
  session: TargetSession,
  onBegun?: (run: Run) => void,
): Promise<Resumed> {
  const { keys, store } = session.ledger.of(shown.target);
  const { actor } = keys;
  // Redis may have been verified since, and have it from a journal.
  const run = await findRun(session.ledger, shown.id);
  const why = awaitsApproval(run) ? whyNotApproved(actor, run, isUserTold()) : notWaiting(run);
  if (why !== null) throw new UsageError(why);
  if (plan !== null && plan !== (run.plan ?? '')) throw new UsageError(otherPlan(run));
  const rows = await registeredRows(run, session.ledger);
  const request = { by: actor.name, at: new Date().toISOString(), why: '' };
  if (!(await store.approve(run.id, request, run.plan))) throw new UsageError(notWaiting(run));
  await waitForReplica(session.ledger, run.target);
  return resumeRun(run, session, onBegun, rows);
}

function notWaiting({ id }: Run): string {
  return `Run ${id} doesn't wait for approval: there is nothing to approve. \`onboard status ${id}\` says how it stands.`;
}

function otherPlan(run: Run): string {
  const { id, plan = 'none' } = run;
  return `The plan of run ${id} is ${plan}, and not the one that was shown: nothing was approved. Look at it again: \`onboard status ${id}\`.`;
}

/**
 * A UsageError with the command for what is left to do, or that says it. `isSure`: whoever asks has
 * seen why the run waits.
 */
export function assertCanGo(run: Run, isSure: boolean): void {
  const { id, state, problem = '' } = run;
  if (awaitsApproval(run))
    throw new UsageError(
      `Run ${id} waits for approval: expected another person than who loaded it, ${run.registeredBy ?? 'which is nobody'}, to let it go. \`onboard approve ${id}\` does.`,
    );
  if (awaitsPerson(run) && !isSure)
    throw new UsageError([
      `Run ${id} waits, since its file is unlike those before it. ${problem}`,
      ...waysOut(run).map(wayWords),
    ]);
  if (mayGoOn(run)) return;
  const left = isOver(run)
    ? `\`onboard report ${id}\` says what is left to do`
    : `\`onboard cancel ${id}\` winds it up`;
  throw new UsageError(`Run ${id} is ${state}: expected one that can go on. ${left}.`);
}

/** Where it waits since its file is unlike those before it. */
export async function letGo(
  { id, target, reason }: Run,
  request: StateRequest,
  { ledger }: Pick<Session, 'ledger'>,
): Promise<void> {
  if (reason === 'unusual') await ledger.of(target).store.letGo(id, request);
}

/** For ever; answers the run with rows that still need their outcomes. */
export async function cancelRun(
  { id, target }: Run,
  request: StateRequest,
  { ledger }: Pick<Session, 'ledger'>,
): Promise<Run> {
  await ledger.of(target).store.transition(id, 'cancelled', null, request);
  await waitForReplica(ledger, target);
  const run = await findRun(ledger, id);
  if (run.state === 'cancelled') return run;
  throw new UsageError(
    `Run ${id} is ${run.state}: expected one that has not ended, there is nothing left to cancel.`,
  );
}

/** Needs no service: workers settle what they have in flight. */
export async function windUpCancelled(run: Run, session: Session): Promise<Executed> {
  const joined = await joinTarget(session, nowhere(run.target), { sends: false });
  // The rows are opened only where one is needed, and a run without them is wound up all the same.
  const rows: RowSource = async (again, definition) =>
    (await registeredRows(run, session.ledger))(again, definition);
  return executeToEnd(run, rows, joined, { looksUp: false });
}

type Watching = { readonly session: TargetSession; readonly once: boolean };

/**
 * Runs that a refused token paused go on by themselves once its source gives another one: whoever
 * renews it may be hours late. One row goes first, since that one may be refused as well. Until the
 * process ends, which waits for the runs that go on.
 */
export async function goOnAtNewTokens({ session, once }: Watching): Promise<void> {
  const { io, times, releasers } = session;
  if (once) return;
  const under = new Map<string, Promise<void>>();
  releasers.push(async () => void (await Promise.all(under.values())));
  while (!io.interrupted.aborted) {
    await sleep(times.pausedTokenMs, io.interrupted);
    const runs = await runsToGoOn(session, under).catch(() => []);
    for (const run of runs) {
      if (io.interrupted.aborted) break;
      const going = goOn(run, session).finally(() => under.delete(run.id));
      under.set(run.id, going);
    }
  }
}

async function runsToGoOn(
  { ledger, service }: TargetSession,
  under: { has(run: string): boolean },
): Promise<readonly Run[]> {
  const { store } = ledger.of(service.target);
  const waiting = await store.pausedForToken();
  // A token is offered once: one that has just paused, and is not left yet, would miss it.
  if (waiting.length === 0 || waiting.some(({ id }) => under.has(id))) return [];
  if (!(await service.credentials.mayBeAnother())) return [];
  await store.tryOne('The token is another one');
  return waiting;
}

async function goOn(run: Run, session: TargetSession): Promise<void> {
  const { id } = run;
  const { io, log } = session;
  tell(io, `There is another token: run ${id} goes on, with one row first.`);
  try {
    await resumeRun(run, session);
  } catch (error) {
    const problem = messageOf(error);
    log.warn('a run that waited for a token', { run: id, problem });
  }
}
