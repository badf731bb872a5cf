/**
 * Reads a run's rows, into the queue or, once it is cancelled, to give every row its outcome. One
 * process at a time reads a run: it holds the run's lease and renews it with each look; another
 * follower takes over when it is gone. This process never has more than one reading of a run under
 * way.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { recordAct } from '../engine/ledger/audit.ts';
import { type ChunkQueue, createChunkQueue } from '../engine/queue/chunk-queue.ts';
import { messageOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { shownWorker } from '../lib/worker-id.ts';
import { awaitsPerson, type Reason, type Run, type RunState, rowsBefore } from '../model/run.ts';
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
  readonly lease: Lease;
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
  const { keys } = ledger.of(run.target);
  const onError = (error: Error) => log.warn('queue', { problem: error.message });
  const sealOf = (id: string) => keys.run(id).seal();
  const queue = createChunkQueue(ledger.redis, keys.queuePrefix, onError, sealOf);
  await queue.promote(run.id);
  // What waits for a person is put back by nothing: it is loaded, and let go, again.
  if (!awaitsPerson(run)) await registration.remember(run.id);
  const lease = createLease(run, session);
  const opened = { ...of, session, queue, added: { last: 0 }, lease };
  return {
    ...createReader(opened),
    hold: lease.hold,
    isHolder: lease.isHeld,
    waiting: (now: Run) => waitsFor(now, ledger, queue),
    /**
     * Puts back what the queue gave up; true: open chunks are in none of its lists, so what it
     * knows of them is removed.
     */
    sweep: () => sweep(opened),
  };
}

/** `end`: before what follows from it. */
type Reading = { readonly stop: AbortController; readonly end: Promise<IngestEnd> };

type State =
  /** The next look begins. */
  | { readonly kind: 'idle'; readonly reading: null }
  /** Under way, or read to its end. */
  | { readonly kind: 'begun'; readonly reading: Reading }
  /** The next look throws the error, and is `idle` then. */
  | { readonly kind: 'failed'; readonly reading: Reading | null; readonly error: unknown };

const IDLE: State = { kind: 'idle', reading: null };

function createReader(opened: Opened) {
  const { run, session, queue, lease } = opened;
  const { store } = session.ledger.of(run.target);
  const { verified } = session.registration;
  let state: State = IDLE;
  let purpose: Purpose = 'ingest';
  let recoveries = verified.recoveries();

  const begin = () => {
    const stop = new AbortController();
    const end = READ[purpose](opened, stop.signal);
    state = { kind: 'begun', reading: { stop, end } };
    end
      .then((how) => followUp(how, opened))
      .catch((error: unknown) => {
        state = { kind: 'failed', reading: state.reading, error };
      });
  };
  const halt = async () => {
    state.reading?.stop.abort();
    await Promise.allSettled([state.reading?.end]);
  };
  const again = async () => {
    await halt();
    state = state.kind === 'failed' ? { ...state, reading: null } : IDLE;
    recoveries = verified.recoveries();
  };
  /** An unreadable file pauses its run first. What went wrong may be an earlier reading's. */
  const raise = async (error: unknown) => {
    await halt();
    state = IDLE;
    if (error instanceof UsageError) await store.transition(run.id, 'paused', 'file-changed');
    throw error;
  };
  return {
    /** Renews the lease, and reads where nobody does; throws what was wrong before. */
    async readOn(): Promise<void> {
      if (state.kind === 'failed') await raise(state.error);
      if ((await lease.hold()) && state.kind === 'idle') begin();
    },
    /** Reads nothing for now; true: this process is the one that reads on later. */
    async rest(): Promise<boolean> {
      if (state.reading !== null) await again();
      state = IDLE;
      return lease.hold();
    },
    /** Ends a reading for the other purpose, whatever was wrong with it. */
    async turnTo(next: Purpose): Promise<void> {
      if (purpose === next) return;
      purpose = next;
      await again();
      state = IDLE;
    },
    /** Begins anew at the next look, after a reading under way has ended. */
    again,
    /** The ledger's recoveries when this reading began: each may have lost queued chunks. */
    recoveries: () => recoveries,
    /** Also gives the lease back. */
    async end(): Promise<void> {
      try {
        await halt();
        await lease.drop();
      } finally {
        await queue.close();
      }
    },
  };
}

async function followUp(end: IngestEnd, opened: Opened): Promise<void> {
  const { run, session } = opened;
  if (end === 'file-changed') await leaveInDoubt(opened);
  const after = STATE_AFTER[end];
  if (after !== null) await session.ledger.of(run.target).store.transition(run.id, ...after);
}

type Lease = ReturnType<typeof createLease>;

/** The run's lease, which its one reader holds. */
function createLease({ id, target }: Run, { ledger, registration, times, log }: TargetSession) {
  const { keys, store } = ledger.of(target);
  const holder = registration.verified.worker;
  let isHeld = false;
  const takenOver = (from: string) => {
    const of = { who: shownWorker(holder), after: shownWorker(from) };
    const told = recordAct(ledger.redis, keys, { what: 'taken-over', run: id, of });
    told.catch((error: unknown) => log.warn('the audit', { problem: messageOf(error) }));
  };
  /** Another one after each gap. `until`: by this process' clock. */
  let tenure = { until: 0 };
  return {
    /** Takes or renews it. */
    async hold(): Promise<boolean> {
      const asked = performance.now();
      const { from, ...held } = await store.holdLease(id, holder, times.lockMs);
      isHeld = held.isHeld;
      if (from !== '') takenOver(from);
      // After a gap another process may have read.
      if (!isHeld || asked >= tenure.until) tenure = { until: 0 };
      if (isHeld) tenure.until = asked + times.lockMs;
      return isHeld;
    },
    /** The answer of the last `hold`. */
    isHeld: () => isHeld,
    /** Answers whether it has been held without a gap ever since. */
    tenure() {
      const now = tenure;
      return () => tenure === now && performance.now() < now.until;
    },
    async drop(): Promise<void> {
      tenure = { until: 0 };
      await store.dropLease(id, holder);
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
    const { tenure } = opened.lease;
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
      `${places} of run ${run.id} are lost from Redis, and its file ` +
        'has changed: those that may have been sent are in doubt.',
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
