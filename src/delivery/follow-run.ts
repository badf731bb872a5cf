import type { RunStore } from '../ledger/run-store.ts';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { OutcomeCounts } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import { gained, isOverLimit, type StopAfter } from './error-limit.ts';
import type { IngestEnd } from './ingest-run.ts';

const TICK_MS = 200;
const LEASE_MS = 10_000;
/** Longer than any take-over after a worker's death: only then is it worth asking what the queue still has. */
const STUCK_AFTER_MS = 20_000;

export type FollowEdges = {
  readonly id: string;
  readonly store: RunStore;
  /** Names this process as the one that reads the file. */
  readonly holder: string;
  readonly stopAfter: StopAfter | undefined;
  /** The outcomes when the run was taken up: a person who goes on after the error limit has accepted those. */
  readonly before: OutcomeCounts;
  /** How often the ledger was found to have gone back in time: the queue may have lost chunks by it. */
  recoveries(): number;
  /** Resolves when the ledger is what it was, put back from the journals if need be. */
  verify(): Promise<void>;
  /** Reads the file and hands its chunks to the queue. */
  ingest(signal: AbortSignal): Promise<IngestEnd>;
  /** Gives every row of a cancelled run its outcome. */
  windUp(signal: AbortSignal): Promise<IngestEnd>;
  /** Puts back what the queue gave up; true where it has lost chunks it was given and the file has to be read again. */
  sweep(): Promise<boolean>;
  onProgress(run: Run): void;
  /** The machine room is in trouble; it is waited out. */
  onTrouble(what: string, error: Error): void;
  readonly now: () => number;
  /** Fires when the user or the system ends the process. */
  readonly interrupted: AbortSignal;
};

/**
 * Takes a running run to where it ends, is paused or stopped, and answers what it is then; a cancelled one is followed until
 * every row has its outcome. One process at a time reads the file; another one that follows the same run takes the reading over when the first is gone.
 */
export async function followRun(edges: FollowEdges): Promise<Run> {
  const reading = createReading(edges);
  const watch = createStuckWatch(edges.now);
  try {
    for (;;) {
      const ended = await waitingOut(() => tick(edges, reading, watch), edges);
      if (ended !== null) return ended;
      await sleep(TICK_MS, edges.interrupted);
    }
  } finally {
    await reading.end();
  }
}

type Reading = ReturnType<typeof createReading>;

/** One look at the run; the run where it is to be followed no longer. */
async function tick(edges: FollowEdges, reading: Reading, watch: (run: Run) => boolean): Promise<Run | null> {
  const run = await currentRun(edges);
  edges.onProgress(run);
  const isCancelled = run.state === 'cancelled';
  if (isOver(run) || (run.state !== 'running' && !isCancelled)) return run;
  if (edges.interrupted.aborted) return leave(reading.isMine(), edges);
  if (!isCancelled) await stopOverLimit(run, edges);
  await reading.turnTo(isCancelled ? 'windUp' : 'ingest');
  await reading.keepUp();
  if (edges.recoveries() !== reading.recoveries) await reading.again();
  if (watch(run) && (isCancelled || (await edges.sweep()))) await reading.again();
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

/** The reading of the file: begun once the lease is had, and renewed with it. */
function createReading(edges: FollowEdges) {
  let stop = new AbortController();
  let reading: Promise<IngestEnd> | null = null;
  let failure: unknown = null;
  let mine = false;
  let recoveries = edges.recoveries();
  let task: 'ingest' | 'windUp' = 'ingest';
  const begin = () => {
    reading = edges[task](stop.signal);
    reading
      .then(
        (end) => end === 'file-changed' && edges.store.transition(edges.id, 'paused', 'file-changed'),
        (error: unknown) => {
          failure = error;
        },
      )
      .catch((error: unknown) => {
        failure = error;
      });
  };
  const halt = async () => {
    stop.abort();
    await Promise.allSettled([reading]);
  };
  /** One that is still under way, waiting for room perhaps, is ended first: there is never more than one. */
  const again = async () => {
    await halt();
    stop = new AbortController();
    reading = null;
    recoveries = edges.recoveries();
  };
  /** A file that can't be read any more pauses the run before its user hears of it; any other trouble: read again. */
  const recover = async () => {
    const error = failure;
    failure = null;
    reading = null;
    if (error instanceof UsageError) await edges.store.transition(edges.id, 'paused', 'file-changed');
    throw error;
  };
  return {
    async keepUp() {
      if (failure !== null) await recover();
      mine = await edges.store.holdLease(edges.id, edges.holder, LEASE_MS);
      if (mine && reading === null) begin();
    },
    /** A reading for the other purpose is ended, and what was wrong with it doesn't matter any more. */
    async turnTo(next: 'ingest' | 'windUp') {
      if (task === next) return;
      task = next;
      await again();
      failure = null;
    },
    isMine: () => mine,
    /** As many as there had been when this reading began. */
    get recoveries() {
      return recoveries;
    },
    again,
    async end() {
      await halt();
      await edges.store.dropLease(edges.id, edges.holder);
    },
  };
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
