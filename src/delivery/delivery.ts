import { randomBytes } from 'node:crypto';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../queue/chunk-worker.ts';
import { deliverChunk } from './deliver-chunk.ts';
import type { RunContext } from './run-context.ts';

/** What a worker process does with the chunks it is handed. */
export type Delivery = {
  deliver(job: ChunkJob, lease: ChunkLease): Promise<ChunkEnd>;
};

/** Contexts of runs that a process has lately worked for. */
const CONTEXTS_KEPT = 32;

/** `makeContext` answers `null` for a run that the ledger doesn't know: its chunks have nobody to report to. */
export function createDelivery(makeContext: (run: string) => Promise<RunContext | null>): Delivery {
  const process = randomBytes(5).toString('hex');
  const contexts = new Map<string, Promise<RunContext | null>>();
  let takes = 0;

  const contextOf = (run: string) => {
    const known = contexts.get(run);
    if (known !== undefined) return known;
    const made = makeContext(run).catch((error: unknown) => {
      contexts.delete(run);
      throw error;
    });
    contexts.set(run, made);
    const oldest = contexts.keys().next();
    if (contexts.size > CONTEXTS_KEPT && oldest.done !== true) contexts.delete(oldest.value);
    return made;
  };

  return {
    async deliver(job, lease) {
      const context = await contextOf(job.run);
      if (context === null) return 'closed';
      takes += 1;
      return deliverChunk(job, { context, lease, taker: `${process}.${takes}` });
    },
  };
}
