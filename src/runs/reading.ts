/**
 * Reads a run's rows, into the queue or, once it is cancelled, to give every row its outcome. One
 * process at a time reads a run: it holds the run's lease and renews it with each look; another
 * follower takes over when it is gone. This process never has more than one reading of a run under
 * way.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { awaitsApproval, type Reason, type Run, type RunState, rowsBefore } from '../model/run.ts';
import { type ChunkQueue, createChunkQueue } from '../queue/chunk-queue.ts';
import type { TargetSession } from '../session.ts';
import { type IngestEnd, ingestRun } from './ingest.ts';
import { createWaitingNotice } from './redis-wait.ts';
import type { RowSource } from './rows.ts';
import { waitsFor } from './status.ts';
import { unknownRows, windUpRun } from './wind-up.ts';

type Purpose = 'ingest' | 'windUp';

export type ReadingOf = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly rows: RowSource;
};

type Opened = ReadingOf & {
  readonly session: TargetSession;
  readonly queue: ChunkQueue;
  /** The last chunk that the current reading queued. */
  readonly added: { last: number };
  /** The lease without a gap, and until when it runs by this process' clock. */
  tenure: { until: number };
};

const STATE_AFTER: Readonly<Record<IngestEnd, readonly [RunState, Reason] | null>> = {
  complete: null,
  stopped: null,
  'file-changed': ['paused', 'file-changed'],
  canary: ['stopped', 'canary'],
};

/** Nothing is read before the first `readOn`. */
export async function openRunReading(of: ReadingOf, session: TargetSession) {
  const { run } = of;
  const { ledger, registration, log } = session;
  const { keys, store } = ledger.of(run.target);
  const holder = registration.epoch.worker;
  const onError = (error: Error) => log.warn('queue', { problem: error.message });
  const sealOf = (id: string) => keys.run(id).seal();
  const queue = createChunkQueue(ledger.redis, keys.queuePrefix, onError, sealOf);
  await queue.promote(run.id);
  // What waits for approval is put back by nothing: it is loaded, and approved, again.
  if (!awaitsApproval(run)) await registration.remember(run.id);
  const opened: Opened = { ...of, session, queue, added: { last: 0 }, tenure: { until: 0 } };

  let stop = new AbortController();
  let reading: Promise<IngestEnd> | null = null;
  let failure: unknown = null;
  let recoveries = registration.epoch.recoveries();
  let purpose: Purpose = 'ingest';
  const begin = () => {
    reading = READ[purpose](opened, stop.signal);
    reading
      .then(async (end) => {
        if (end === 'file-changed') await leaveInDoubt(opened);
        const after = STATE_AFTER[end];
        return after !== null && store.transition(run.id, ...after);
      })
      .catch((error: unknown) => {
        failure = error;
      });
  };
  let isHolder = false;
  const hold = async () => {
    const asked = performance.now();
    isHolder = await store.holdLease(run.id, holder, session.times.lockMs);
    // After a gap another process may have read.
    if (!isHolder || asked >= opened.tenure.until) opened.tenure = { until: 0 };
    if (isHolder) opened.tenure.until = asked + session.times.lockMs;
    return isHolder;
  };
  const halt = async () => {
    stop.abort();
    await Promise.allSettled([reading]);
  };
  const again = async () => {
    await halt();
    stop = new AbortController();
    reading = null;
    recoveries = registration.epoch.recoveries();
  };
  /** Throws what was wrong; an unreadable file pauses its run first. The next look reads again. */
  const recover = async () => {
    const error = failure;
    failure = null;
    reading = null;
    if (error instanceof UsageError) await store.transition(run.id, 'paused', 'file-changed');
    throw error;
  };
  return {
    /** Renews the lease, and reads where nobody does; throws what was wrong before. */
    async readOn() {
      if (failure !== null) await recover();
      if ((await hold()) && reading === null) begin();
    },
    /** Reads nothing for now; true: this process is the one that reads on later. */
    async rest() {
      if (reading !== null) await again();
      failure = null;
      return hold();
    },
    /** Ends a reading for the other purpose, whatever was wrong with it. */
    async turnTo(next: Purpose) {
      if (purpose === next) return;
      purpose = next;
      await again();
      failure = null;
    },
    hold,
    /** The answer of the last `hold`. */
    isHolder: () => isHolder,
    /** The epoch's recoveries when this reading began: each may have lost queued chunks. */
    recoveries: () => recoveries,
    waiting: (now: Run) => waitsFor(now, ledger, queue),
    /**
     * Puts back what the queue gave up; true: open chunks are in none of its lists, so what it
     * knows of them is removed.
     */
    sweep: () => sweep(opened),
    /** Begins anew at the next look, after a reading under way has ended. */
    again,
    /** Also gives the lease back. */
    async end() {
      try {
        await halt();
        opened.tenure = { until: 0 };
        await store.dropLease(run.id, holder);
      } finally {
        await queue.close();
      }
    },
  };
}

export type RunReading = Awaited<ReturnType<typeof openRunReading>>;

const READ: Readonly<Record<Purpose, (opened: Opened, signal: AbortSignal) => Promise<IngestEnd>>> = {
  async ingest(opened, signal) {
    const { run, definition, rows, session, queue, added } = opened;
    // Chunks that this reading has not reached are not missing.
    added.last = 0;
    const chunks = await rows(run, definition);
    if (chunks === null) return 'file-changed';
    const notice = createWaitingNotice(session.io, session.clock.now);
    const onAdded = (chunk: number) => {
      added.last = chunk;
    };
    const tenure = () => {
      const now = opened.tenure;
      return () => opened.tenure === now && performance.now() < now.until;
    };
    const ingest = { run, definition, chunks, queue, notice, signal, onAdded, tenure };
    const end = await ingestRun(ingest, session);
    if (end === 'complete') notice.complete();
    return end;
  },
  windUp: (opened, signal) => windUpRun({ ...opened, signal }),
};

/** Chunks that neither the queue nor the file has any more: what may have been sent of them. */
async function leaveInDoubt({ run, session, queue }: Opened): Promise<void> {
  const open = run.parent === null ? await session.ledger.of(run.target).store.openChunks(run.id) : [];
  for (const chunk of open) {
    if ((await queue.has(run.id, chunk)) || (await queue.takeOut(run.id, chunk)) === null) continue;
    const rows = unknownRows(chunk, run, null);
    await session.delivery.deliver({ run: run.id, chunk, rows }, { isHeld: () => true });
    const places = `Rows ${rowsBefore(run, chunk) + 1} to ${rowsBefore(run, chunk) + rows.length}`;
    tell(
      session.io,
      `${places} of run ${run.id} are lost from Redis, and its file has changed: those that may have been sent are in doubt.`,
    );
  }
}

async function sweep({ run, session, queue, added }: Opened): Promise<boolean> {
  const closed = await session.ledger.of(run.target).store.closedChunks(run.id);
  let isLost = false;
  for (let n = 1; n <= added.last; n += 1) {
    if (closed.has(n) || (await queue.has(run.id, n))) continue;
    isLost = (await queue.takeOut(run.id, n)) !== null || isLost;
  }
  return isLost;
}
