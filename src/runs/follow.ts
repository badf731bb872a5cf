/**
 * Follows a run to where it ends, is paused or stopped, and reads its rows where no other process
 * does; a cancelled run until every row has its outcome. Outside the job's window a run is paused,
 * and goes on when it opens; too many rows without success stop it. Trouble with Redis costs time,
 * not the run.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import {
  closedWindowWords,
  createJobWindow,
  type JobWindow,
  openWindowWords,
} from '../delivery/job-window.ts';
import type { RunStore } from '../engine/ledger/run-store.ts';
import { messageOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import {
  countSettled,
  countUnsuccessful,
  noOutcomes,
  OUTCOMES,
  type OutcomeCounts,
} from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import type { TargetSession } from '../session.ts';
import { openRunReading, type ReadingOf, type RunReading } from './reading.ts';
import { foundRun } from './register.ts';

const TICK_MS = 200;
/** Faster at first: a file of a few rows is done within one tick. */
const FIRST_TICK_MS = 20;
/** In times of a lock, longer than any take-over: only then is the queue asked what it has. */
const STUCK_AFTER = 2;

type Followed = ReadingOf & {
  /** At each look. `isReader`: this process reads the run. */
  onProgress(run: Run, isReader: boolean): void;
};

type Following = Followed & {
  readonly session: TargetSession;
  readonly store: RunStore;
  readonly window: JobWindow | null;
  readonly reading: RunReading;
  /** Whether rows may be sent now; pauses the run where its window closes, and resumes it. */
  keepWindow(run: Run): Promise<boolean>;
  /** Standstills in a row so long that the queue may have lost a chunk; 0: none now. */
  standstills(run: Run): number;
};

/** Answers the run as it is then. An interrupted process pauses a run that it reads. */
export async function followRun(followed: Followed, session: TargetSession): Promise<Run> {
  const { run, definition } = followed;
  const { store } = session.ledger.of(run.target);
  const reading = await openRunReading(followed, session);
  const window = createJobWindow(definition.window, session.clock.date);
  const keepWindow = createWindowKeeper(run.id, window, { store, reading, session });
  const standstills = createStuckWatch(session);
  const following: Following = { ...followed, session, store, window, reading, keepWindow, standstills };
  try {
    for (let pauseMs = FIRST_TICK_MS; ; pauseMs = Math.min(2 * pauseMs, TICK_MS)) {
      const ended = await lookPatiently(following);
      if (ended !== null) return ended;
      await sleep(pauseMs, session.io.interrupted);
    }
  } finally {
    await reading.end();
  }
}

/** Waits out a Redis that is full or restarting; throws what the user has to put right. */
async function lookPatiently(following: Following): Promise<Run | null> {
  try {
    return await look(following);
  } catch (error) {
    // A connection that is closed for good was given up.
    if (error instanceof UsageError || following.session.ledger.redis.status === 'end') throw error;
    const problem = messageOf(error);
    following.session.log.warn('the run can not be followed right now', { run: following.run.id, problem });
    return null;
  }
}

/** `null`: the run is to be followed further. */
async function look(following: Following): Promise<Run | null> {
  const { reading, session } = following;
  const run = await currentRun(following);
  following.onProgress(run, reading.isHolder());
  const isCancelled = run.state === 'cancelled';
  const goesOn = run.state === 'running' || isCancelled || waitsForWindow(run, following.window);
  if (isOver(run) || !goesOn) return run;
  if (session.io.interrupted.aborted) return leave(following);
  if (!isCancelled && !(await following.keepWindow(run))) return null;
  if (!isCancelled) await stopOverLimit(run, following);
  await reading.turnTo(isCancelled ? 'windUp' : 'ingest');
  await reading.readOn();
  if (session.registration.verified.recoveries() !== reading.recoveries()) await reading.again();
  const standstills = following.standstills(run);
  if (standstills === 0) return null;
  const waiting = standstills === 1 ? await reading.waiting(run) : null;
  if (waiting !== null)
    tell(session.io, `Run ${run.id} has stood still for a while, and waits for ${waiting}.`);
  if (isCancelled || (await reading.sweep())) await reading.again();
  return null;
}

function currentRun({ run: { id }, store, session }: Following): Promise<Run> {
  return foundRun(id, store, session.registration);
}

/** Pauses a run whose file nobody reads any more; a run with another reader goes on. */
async function leave(following: Following): Promise<Run> {
  const { run, store, reading } = following;
  if (await reading.hold()) await store.transition(run.id, 'paused', 'interrupted');
  return currentRun(following);
}

/** Rows that failed before this process took over were accepted by whoever resumed the run. */
async function stopOverLimit(now: Run, { run, definition, store }: Following): Promise<void> {
  if (isOverLimit(gained(now.outcomes, run.outcomes), definition.stopAfter))
    await store.transition(run.id, 'stopped', 'error-limit');
}

function gained(counts: OutcomeCounts, before: OutcomeCounts): OutcomeCounts {
  const since = noOutcomes();
  for (const outcome of OUTCOMES) since[outcome] = Math.max(0, counts[outcome] - before[outcome]);
  return since;
}

/** A share means little before this many rows have ended. */
const SHARE_AFTER_ROWS = 20;

/** `stopAfter`: a count of rows, or a percentage such as `20%`; `100%`: never. */
export function isOverLimit(counts: OutcomeCounts, stopAfter: JobDefinition['stopAfter']): boolean {
  if (stopAfter === undefined) return false;
  const unsuccessful = countUnsuccessful(counts);
  if (typeof stopAfter === 'number') return unsuccessful >= stopAfter;
  // 0% stops at the first row without success, not where every row succeeds.
  if (unsuccessful === 0) return false;
  const share = Number.parseFloat(stopAfter) / 100;
  const settled = countSettled(counts);
  // 100% never stops: it says that nothing else is to.
  return share < 1 && settled >= SHARE_AFTER_ROWS && unsuccessful / settled >= share;
}

function waitsForWindow({ state, reason }: Run, window: JobWindow | null): boolean {
  return window !== null && state === 'paused' && reason === 'window';
}

function createWindowKeeper(
  id: string,
  window: JobWindow | null,
  { store, reading, session }: Pick<Following, 'store' | 'reading' | 'session'>,
): Following['keepWindow'] {
  if (window === null) return async () => true;
  let isTold = false;
  return async ({ state }) => {
    const isOpen = window.isOpen();
    if (isOpen && state === 'running') return true;
    const isReader = await reading.rest();
    if (isOpen) {
      isTold = false;
      // Only the reader resumes the run, unless a person has paused it meanwhile.
      if (isReader && (await store.goOn(id, 'window'))) tell(session.io, openWindowWords(window));
      return false;
    }
    if (state === 'running') await store.transition(id, 'paused', 'window');
    if (!isTold) tell(session.io, closedWindowWords(window));
    isTold = true;
    return false;
  };
}

function createStuckWatch({ clock: { now }, times }: TargetSession): Following['standstills'] {
  let seen = '';
  let since = now();
  let standstills = 0;
  return (run) => {
    const state = JSON.stringify([run.closedChunks, run.outcomes]);
    if (state !== seen) {
      seen = state;
      since = now();
      standstills = 0;
    }
    if (now() - since < STUCK_AFTER * times.lockMs) return 0;
    since = now();
    standstills += 1;
    return standstills;
  };
}
