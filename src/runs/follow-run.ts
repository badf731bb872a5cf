import type { JobWindow } from '../delivery/job-window.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import type { OutcomeCounts } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import { gained, isOverLimit, type StopAfter } from './error-limit.ts';
import { createReading, type Reading, type ReadingEdges } from './run-reading.ts';
import { createWindowKeeper, waitsForWindow } from './window-keeper.ts';

const TICK_MS = 200;
/** A file of a few rows is done long before that: the first looks follow each other faster. */
const FIRST_TICK_MS = 20;
/** Longer than any take-over after a worker's death: only then is it worth asking what the queue still has. */
const STUCK_AFTER_MS = 20_000;

export type FollowEdges = ReadingEdges & {
  readonly stopAfter: StopAfter | undefined;
  /** When rows may be sent; `null`: at any hour. */
  readonly window: JobWindow | null;
  /** The outcomes when the run was taken up: a person who goes on after the error limit has accepted those. */
  readonly before: OutcomeCounts;
  /** Resolves when the ledger is what it was, put back from the journals if need be. */
  verify(): Promise<void>;
  /** Puts back what the queue gave up; true where it has lost chunks it was given and the file has to be read again. */
  sweep(): Promise<boolean>;
  onProgress(run: Run): void;
  /** The window has closed, or opened again: in words for people. */
  onWindow(words: string): void;
  /** The machine room is in trouble; it is waited out. */
  onTrouble(what: string, error: Error): void;
  readonly now: () => number;
  /** Fires when the user or the system ends the process. */
  readonly interrupted: AbortSignal;
};

/**
 * Takes a running run to where it ends, is paused or stopped, and answers what it is then; a cancelled one is followed until
 * every row has its outcome. Outside the job's window it is paused, and goes on by itself. One process at a time reads the
 * file; another one that follows the same run takes the reading over when the first is gone.
 */
export async function followRun(edges: FollowEdges): Promise<Run> {
  const reading = createReading(edges);
  const watch = createStuckWatch(edges.now);
  const keepWindow = createWindowKeeper(edges, reading);
  try {
    for (let pauseMs = FIRST_TICK_MS; ; pauseMs = Math.min(2 * pauseMs, TICK_MS)) {
      const ended = await waitingOut(() => tick(edges, reading, { watch, keepWindow }), edges);
      if (ended !== null) return ended;
      await sleep(pauseMs, edges.interrupted);
    }
  } finally {
    await reading.end();
  }
}

type Keepers = {
  readonly watch: (run: Run) => boolean;
  readonly keepWindow: (run: Run) => Promise<boolean>;
};

/** One look at the run; the run where it is to be followed no longer. */
async function tick(edges: FollowEdges, reading: Reading, keepers: Keepers): Promise<Run | null> {
  const run = await currentRun(edges);
  edges.onProgress(run);
  const isCancelled = run.state === 'cancelled';
  const goesOn = run.state === 'running' || isCancelled || waitsForWindow(run, edges.window);
  if (isOver(run) || !goesOn) return run;
  if (edges.interrupted.aborted) return leave(reading.isMine(), edges);
  if (!isCancelled && !(await keepers.keepWindow(run))) return null;
  if (!isCancelled) await stopOverLimit(run, edges);
  await reading.turnTo(isCancelled ? 'windUp' : 'ingest');
  await reading.keepUp();
  if (edges.recoveries() !== reading.recoveries) await reading.again();
  if (keepers.watch(run) && (isCancelled || (await edges.sweep()))) await reading.again();
  return null;
}

/** A Redis that is full or restarting costs time, not the run; what the user has to mend ends the following. */
async function waitingOut(work: () => Promise<Run | null>, { onTrouble }: FollowEdges): Promise<Run | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    onTrouble(
      'the run can not be followed right now',
      error instanceof Error ? error : new Error(String(error)),
    );
    return null;
  }
}

async function currentRun({ store, id, verify }: FollowEdges): Promise<Run> {
  const known = await store.get(id);
  if (known !== null) return known;
  await verify();
  const run = await store.get(id);
  if (run === null) throw new UsageError(`Run ${id} is gone from the ledger: was its Redis emptied?`);
  return run;
}

/** A run whose file nobody reads any more is paused; one that another process reads goes on without this one. */
async function leave(mine: boolean, edges: FollowEdges): Promise<Run> {
  if (mine) await edges.store.transition(edges.id, 'paused', 'interrupted');
  return currentRun(edges);
}

async function stopOverLimit(run: Run, { store, id, stopAfter, before }: FollowEdges): Promise<void> {
  if (isOverLimit(gained(run.outcomes, before), stopAfter))
    await store.transition(id, 'stopped', 'error-limit');
}

/** Tells when nothing has been settled for so long that the queue may have lost a chunk. */
function createStuckWatch(now: () => number): (run: Run) => boolean {
  let seen = '';
  let since = now();
  return (run) => {
    const state = JSON.stringify([run.closedChunks, run.outcomes]);
    if (state !== seen) {
      seen = state;
      since = now();
    }
    if (now() - since < STUCK_AFTER_MS) return false;
    since = now();
    return true;
  };
}
