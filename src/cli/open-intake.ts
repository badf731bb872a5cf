import type { StopAfter } from '../delivery/error-limit.ts';
import { identitySpace } from '../delivery/identity.ts';
import { type IngestEnd, ingestRun } from '../delivery/ingest-run.ts';
import { fileStamp } from '../intake/open-input.ts';
import { readChunks } from '../intake/read-chunks.ts';
import { claimKeys } from '../ledger/key-claims.ts';
import { sleep } from '../lib/sleep.ts';
import type { Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { createChunkQueue } from '../queue/chunk-queue.ts';
import { mappingFor } from '../wiring.ts';
import type { RunDesk } from './run-desk.ts';

/** One run's way from its file into the queue. */
export type RunIntake = {
  readonly stopAfter: StopAfter | undefined;
  ingest(signal: AbortSignal): Promise<IngestEnd>;
  /** Puts back what the queue gave up; true where open chunks that it was given are not in it at all. */
  sweep(): Promise<boolean>;
  close(): Promise<void>;
};

const ROOM_POLL_MS = 20;

/** Opens the queue for a run; the run goes on with the definition it began with. */
export async function openIntake(run: Run, facts: FileFacts, desk: RunDesk): Promise<RunIntake> {
  const { ledger, service, log } = desk;
  const { keys, store } = ledger.of(service.target);
  const definition = (await store.definition(run.id)) ?? desk.job.definition;
  const mapping = mappingFor(definition, run.source);
  const space = identitySpace(run);
  const queue = createChunkQueue(ledger.redis, keys.queuePrefix, (error) =>
    log.warn('queue', { problem: error.message }),
  );
  await queue.promote();
  let lastAdded = 0;

  return {
    stopAfter: definition.stopAfter,
    async ingest(signal) {
      // Chunks that this reading has not come to yet are not missing.
      lastAdded = 0;
      if ((await fileStamp(facts.path)) !== facts.stamp) return 'file-changed';
      return ingestRun({
        run,
        mapping,
        chunks: readChunks(facts.path, run.source, definition.format, run.chunkRows),
        closed: await store.closedChunks(run.id),
        claim: (rows) => claimKeys(ledger.redis, keys, { run: run.id, space, rows }),
        async add(chunks) {
          await queue.add(chunks);
          lastAdded = chunks.at(-1)?.chunk ?? lastAdded;
        },
        countClosed: () => store.countClosed(run.id),
        async waitForRoom() {
          await sleep(ROOM_POLL_MS, signal);
          return !signal.aborted;
        },
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
