import type { RunStore } from '../ledger/run-store.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Reason, RunState } from '../model/run.ts';
import type { IngestEnd } from './ingest-run.ts';

const LEASE_MS = 10_000;

type Purpose = 'ingest' | 'windUp';

export type ReadingEdges = {
  readonly id: string;
  readonly store: RunStore;
  /** Names this process as the one that reads the file. */
  readonly holder: string;
  /** How often the ledger was found to have gone back in time: the queue may have lost chunks by it. */
  recoveries(): number;
  /** Reads the file and hands its chunks to the queue. */
  ingest(signal: AbortSignal): Promise<IngestEnd>;
  /** Gives every row of a cancelled run its outcome. */
  windUp(signal: AbortSignal): Promise<IngestEnd>;
};

/** What the end of a reading makes of its run. */
const STATE_AFTER: Readonly<Record<IngestEnd, readonly [RunState, Reason] | null>> = {
  complete: null,
  stopped: null,
  'file-changed': ['paused', 'file-changed'],
  canary: ['stopped', 'canary'],
};

export type Reading = ReturnType<typeof createReading>;

/** The reading of the file: begun once the lease is had, and renewed with it. */
export function createReading(edges: ReadingEdges) {
  let stop = new AbortController();
  let reading: Promise<IngestEnd> | null = null;
  let failure: unknown = null;
  let mine = false;
  let recoveries = edges.recoveries();
  let task: Purpose = 'ingest';
  const begin = () => {
    reading = edges[task](stop.signal);
    reading
      .then((end) => {
        const after = STATE_AFTER[end];
        return after !== null && edges.store.transition(edges.id, ...after);
      })
      .catch((error: unknown) => {
        failure = error;
      });
  };
  const hold = async () => {
    mine = await edges.store.holdLease(edges.id, edges.holder, LEASE_MS);
    return mine;
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
      if ((await hold()) && reading === null) begin();
    },
    /** Reads nothing for now; true: this process is the one that reads on later. */
    async rest() {
      if (reading !== null) await again();
      failure = null;
      return hold();
    },
    /** A reading for the other purpose is ended, and what was wrong with it doesn't matter any more. */
    async turnTo(next: Purpose) {
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
