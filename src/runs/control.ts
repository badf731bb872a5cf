import { nowhere, type Service } from '../delivery/target.ts';
import type { RunStore } from '../ledger/run-store.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import type { Run } from '../model/run.ts';
import { createChunkQueue } from '../queue/chunk-queue.ts';
import { joinTarget, type Ledger, type Session, type TargetSession } from '../session.ts';
import { type Executed, executeRun, executeToEnd } from './execute.ts';
import { reportFromElsewhere, reportOf } from './report.ts';
import { type RowSource, registeredRows } from './rows.ts';
import { findRun } from './status.ts';

/**
 * What a person does with a run that there is: pause it, go on with it, give it up. A state is changed in the ledger, which every
 * process that works for the run sees; a run that nobody reads any more is gone on with, or wound up, in this one.
 */

/** Nothing more of the run is sent, by nobody, until it is resumed; false: it was not running. */
export async function pauseRun({ id, target }: Run, { ledger }: Pick<Session, 'ledger'>): Promise<boolean> {
  return ledger.of(target).store.transition(id, 'paused', 'requested');
}

/** `elsewhere`: another process reads its rows, goes on with it and reports it. */
export type Resumed =
  | ({ readonly kind: 'here'; readonly service: Service } & Executed)
  | { readonly kind: 'elsewhere'; readonly owner: string };

/** Goes on in this process with a run that has not ended, unless another one does; `join` is asked once that is sure. */
export async function resumeRun(
  run: Run,
  session: Session,
  join: () => Promise<TargetSession>,
): Promise<Resumed> {
  const { ledger } = session;
  const { store } = ledger.of(run.target);
  if ((await store.leaseOf(run.id)) !== null) {
    await setRunning(run, ledger);
    const owner = await ownerOf(run, store, session.io.interrupted);
    if (owner !== null) return { kind: 'elsewhere', owner };
  }
  // All that can be wrong is found before the run goes on.
  const rows = await registeredRows(run, ledger);
  const joined = await join();
  await setRunning(run, ledger);
  const executed = await executeToEnd((await store.get(run.id)) ?? run, rows, joined);
  return { kind: 'here', service: joined.service, ...executed };
}

/** Lets workers elsewhere go on with the rows of the run that are queued. */
export async function resumeElsewhere(run: Run, { ledger, log }: Session): Promise<void> {
  await setRunning(run, ledger);
  const queue = createChunkQueue(ledger.redis, ledger.of(run.target).keys.queuePrefix, (error) =>
    log.warn('queue', { problem: error.message }),
  );
  await queue.promote(run.id);
  await queue.close();
}

/** A run without rows is finished by that. */
export async function setRunning({ id, target, rows }: Run, { of }: Pick<Ledger, 'of'>): Promise<void> {
  await of(target).store.transition(id, rows === 0 ? 'finished' : 'running', null);
}

const OWNER_POLL_MS = 100;

/**
 * The process that reads the run's rows, once it has shown that it still does by renewing its lease; `null` where nobody does.
 * To be asked after the run was set running: one that was about to leave a paused run doesn't renew any more.
 */
export async function ownerOf(
  { id }: Pick<Run, 'id'>,
  store: Pick<RunStore, 'leaseOf'>,
  interrupted: AbortSignal,
): Promise<string | null> {
  let last = await store.leaseOf(id);
  while (last !== null && !interrupted.aborted) {
    await sleep(OWNER_POLL_MS, interrupted);
    const lease = await store.leaseOf(id);
    if (lease !== null && lease.ms > last.ms) return lease.holder;
    last = lease;
  }
  return last?.holder ?? null;
}

/** Nothing more of the run is sent, ever; answers it as it is then. */
export async function cancelRun({ id, target }: Run, { ledger }: Pick<Session, 'ledger'>): Promise<Run> {
  await ledger.of(target).store.transition(id, 'cancelled', null);
  return findRun(ledger, id);
}

/**
 * Gives every row of a cancelled run its outcome and reports it. What is done here needs no service: whoever else works for the run
 * settles what it has in flight.
 */
export async function windUpCancelled(run: Run, session: Session): Promise<Executed> {
  const joined = await joinTarget(session, nowhere(run.target), { sends: false });
  const rows = rowsIfNeeded(run, session);
  const ended = await executeRun(run, rows.source, joined);
  const elsewhere = rows.wereUsed() ? null : await reportFromElsewhere(ended, session);
  return { run: ended, summary: elsewhere ?? (await reportOf(ended, session)) };
}

/** The run's rows, looked at only when they are needed, with a word to the user where they can't be read any more. */
function rowsIfNeeded(
  run: Run,
  { io, ledger }: Session,
): { readonly source: RowSource; wereUsed(): boolean } {
  let registered: Promise<RowSource> | null = null;
  const source: RowSource = async (again, format) => {
    const isFirst = registered === null;
    registered ??= registeredRows(run, ledger);
    try {
      return await (await registered)(again, format);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      for (const problem of isFirst ? error.problems : []) tell(io, `warning: ${problem}`);
      if (isFirst) tell(io, 'Rows that were not handed out yet are recorded without line and key.');
      return null;
    }
  };
  return { source, wereUsed: () => registered !== null };
}
