import type { RunDesk } from '../cli/run-desk.ts';
import { weightOf } from '../config/job-definition.ts';
import { createJobWindow, type JobWindow } from '../delivery/job-window.ts';
import { claimKeys } from '../ledger/key-claims.ts';
import { createRunInput } from '../ledger/run-input.ts';
import { readChunks } from '../ledger/run-view.ts';
import { sleep } from '../lib/waiting.ts';
import { identitySpace } from '../model/identity.ts';
import { succeeded } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import { createChunkQueue } from '../queue/chunk-queue.ts';
import { mappingFor } from '../session.ts';
import type { StopAfter } from './error-limit.ts';
import { type IngestEnd, ingestRun } from './ingest-run.ts';
import { FileChangedError, type RowSource } from './row-source.ts';
import { createWaitingNotice } from './waiting-notice.ts';
import { windUpRun } from './wind-up.ts';

/** One run's way from its rows into the queue, and out of it. */
type RunIntake = {
  readonly stopAfter: StopAfter | undefined;
  readonly window: JobWindow | null;
  ingest(signal: AbortSignal): Promise<IngestEnd>;
  /** The run was cancelled: gives its open rows their outcomes. */
  windUp(signal: AbortSignal): Promise<IngestEnd>;
  /** Puts back what the queue gave up; true where open chunks that it was given are not in it at all. */
  sweep(): Promise<boolean>;
  close(): Promise<void>;
};

/** Between two counts of the open chunks: many runs that are read at once are not to keep Redis busy with it. */
const ROOM_POLL_MS = 20;
const ROOM_POLL_MAX_MS = 80;
/** Between two looks at a chunk that a worker has in hand. */
const HELD_POLL_MS = 200;

/** Opens the queue for a run; the run goes on with the definition it began with. */
export async function openIntake(run: Run, source: RowSource, desk: RunDesk): Promise<RunIntake> {
  const { ledger, membership, service, log } = desk;
  const { keys, store } = ledger.of(service.target);
  const definition = await store.definition(run.id);
  if (definition === null) throw new Error(`run ${run.id} is gone from the ledger`);
  const mapping = mappingFor(definition, run.source);
  const space = identitySpace(run);
  const queue = createChunkQueue(ledger.redis, keys.queuePrefix, (error) =>
    log.warn('queue', { problem: error.message }),
  );
  await queue.promote(run.id);
  await membership.remember(run.id);
  const notice = createWaitingNotice(desk.io, () => performance.now());
  let lastAdded = 0;
  const canaryFailed = async () => {
    const [first = []] = await readChunks(ledger.redis, keys.run(run.id), [1]);
    return !first.some(({ outcome }) => succeeded(outcome)) && !(await store.isCanaryOverruled(run.id));
  };

  return {
    stopAfter: definition.stopAfter,
    window: createJobWindow(definition.window, () => new Date()),
    async ingest(signal) {
      // Chunks that this reading has not come to yet are not missing.
      lastAdded = 0;
      const chunks = await source(run, definition.format);
      if (chunks === null) return 'file-changed';
      const end = await ingestRun({
        run,
        mapping,
        weight: weightOf(definition),
        isGrouped: definition.group !== undefined,
        chunks,
        closed: await store.closedChunks(run.id),
        claim: (rows) => claimKeys(membership.gate, keys, { run: run.id, space, rows }),
        async add(chunks, open) {
          await membership.noteAdded(run.id, chunks.at(-1)?.chunk ?? 0);
          await queue.add(chunks, open);
          lastAdded = chunks.at(-1)?.chunk ?? lastAdded;
        },
        countClosed: () => store.countClosed(run.id),
        countWaiting: queue.countWaiting,
        waitForRoom: (times) => pause(Math.min(ROOM_POLL_MS * times, ROOM_POLL_MAX_MS), signal),
        canaryFailed: definition.send.canary === undefined ? null : canaryFailed,
        pause: (ms) => pause(ms, signal),
        onWaiting: notice.heard,
      }).catch(endOfChanged);
      if (end === 'complete') notice.complete();
      return end;
    },
    async windUp(signal) {
      const unreadable = (error: unknown) =>
        log.warn('rows can not be read any more', { run: run.id, problem: messageOf(error) });
      const chunks = await source(run, definition.format).catch(unreadable);
      return windUpRun({
        run,
        chunks: chunks ?? null,
        numbers: once(createRunInput(ledger.redis, keys, run.id).numbers),
        closed: await store.closedChunks(run.id),
        takeOut: (n) => queue.takeOut(run.id, n),
        // No worker has it, and nothing is sent: nobody can take it away.
        deliver: (job) => desk.delivery.deliver(job, { isHeld: () => true }),
        wait: () => sleep(HELD_POLL_MS, signal),
        onUnreadable: unreadable,
        signal,
      });
    },
    async sweep() {
      await queue.retryFailed();
      const closed = await store.closedChunks(run.id);
      for (let n = 1; n <= lastAdded; n += 1) {
        if (!closed.has(n) && !(await queue.has(run.id, n))) return true;
      }
      return false;
    },
    close: queue.close,
  };
}

function endOfChanged(error: unknown): IngestEnd {
  if (error instanceof FileChangedError) return 'file-changed';
  throw error;
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  return () => {
    answer ??= ask();
    return answer;
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** False: the signal came. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, signal);
  return !signal.aborted;
}
