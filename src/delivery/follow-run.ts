import type { RunStore } from '../ledger/run-store.ts';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import { isOverLimit, type StopAfter } from './error-limit.ts';
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
  /** Reads the file and hands its chunks to the queue. */
  ingest(signal: AbortSignal): Promise<IngestEnd>;
  /** Puts back what the queue gave up or lost; true where chunks are missing and the file has to be read again. */
  sweep(): Promise<boolean>;
  onProgress(run: Run): void;
  readonly now: () => number;
  /** Fires when the user or the system ends the process. */
  readonly interrupted: AbortSignal;
};

/**
 * Takes a running run to where it ends, is paused or stopped, and answers what it is then. One process at a time reads
 * the file; another one that follows the same run takes the reading over when the first is gone.
 */
export async function followRun(edges: FollowEdges): Promise<Run> {
  const reading = createReading(edges);
  const watch = createStuckWatch(edges.now);
  try {
    for (;;) {
      const run = await currentRun(edges);
      edges.onProgress(run);
      if (run.state !== 'running') return run;
      if (edges.interrupted.aborted) return await leave(reading.isMine(), edges);
      await stopOverLimit(run, edges);
      await reading.keepUp();
      if (watch(run) && (await edges.sweep())) reading.again();
      await sleep(TICK_MS, edges.interrupted);
    }
  } finally {
    await reading.end();
  }
}

async function currentRun({ store, id }: FollowEdges): Promise<Run> {
  const run = await store.get(id);
  if (run === null) throw new Error(`run ${id} is gone from the ledger`);
  return run;
}

/** A run whose file nobody reads any more is paused; one that another process reads goes on without this one. */
async function leave(mine: boolean, edges: FollowEdges): Promise<Run> {
  if (mine) await edges.store.transition(edges.id, 'paused', 'interrupted');
  return currentRun(edges);
}

async function stopOverLimit(run: Run, { store, id, stopAfter }: FollowEdges): Promise<void> {
  if (isOverLimit(run.outcomes, stopAfter)) await store.transition(id, 'stopped', 'error-limit');
}

/** The reading of the file: begun once the lease is had, and renewed with it. */
function createReading(edges: FollowEdges) {
  const stop = new AbortController();
  let reading: Promise<IngestEnd> | null = null;
  let failure: unknown = null;
  let mine = false;
  const begin = () => {
    reading = edges.ingest(stop.signal);
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
  return {
    async keepUp() {
      if (failure !== null) throw await pausedFor(failure, edges);
      mine = await edges.store.holdLease(edges.id, edges.holder, LEASE_MS);
      if (mine && reading === null) begin();
    },
    isMine: () => mine,
    again() {
      reading = null;
    },
    async end() {
      stop.abort();
      await Promise.allSettled([reading]);
      await edges.store.dropLease(edges.id, edges.holder);
    },
  };
}

/** A file that can't be read any more, or not as it was, pauses the run before its user hears of it. */
async function pausedFor(failure: unknown, { store, id }: FollowEdges): Promise<unknown> {
  if (failure instanceof UsageError) await store.transition(id, 'paused', 'file-changed');
  return failure;
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
