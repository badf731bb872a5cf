import { randomBytes } from 'node:crypto';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../queue/chunk-worker.ts';
import { deliverChunk } from './deliver-chunk.ts';
import type { RunContext } from './run-context.ts';

/** What a worker process does with the chunks it is handed. */
export type Delivery = {
  deliver(job: ChunkJob, lease: ChunkLease): Promise<ChunkEnd>;
  /** Sends nothing more of the run in this process, and resolves when its rows in flight are settled. */
  halt(run: string): Promise<void>;
};

/** `null` for a run that the ledger doesn't know: its chunks have nobody to report to. */
export type MakeContext = (run: string, stopping: AbortSignal) => Promise<RunContext | null>;

type Hand = {
  readonly context: Promise<RunContext | null>;
  readonly halt: AbortController;
  readonly active: Set<Promise<ChunkEnd>>;
};

/** Runs that a process has lately worked for. */
const RUNS_KEPT = 32;

/** `interrupted`: the process is to end; nothing new is sent. */
export function createDelivery(makeContext: MakeContext, interrupted: AbortSignal): Delivery {
  const process = randomBytes(5).toString('hex');
  const hands = new Map<string, Hand>();
  let takes = 0;

  const handOf = (run: string): Hand => {
    const known = hands.get(run);
    if (known !== undefined) return known;
    const halt = new AbortController();
    const context = makeContext(run, AbortSignal.any([interrupted, halt.signal]));
    const hand = { context, halt, active: new Set<Promise<ChunkEnd>>() };
    hands.set(run, hand);
    forgetOldest(hands);
    return hand;
  };
  const carryOut = async (job: ChunkJob, lease: ChunkLease, hand: Hand): Promise<ChunkEnd> => {
    const context = await hand.context.catch((error: unknown) => {
      hands.delete(job.run);
      throw error;
    });
    if (context === null) return 'closed';
    takes += 1;
    return deliverChunk(job, { context, lease, taker: `${process}.${takes}` });
  };

  return {
    async deliver(job, lease) {
      const hand = handOf(job.run);
      const work = carryOut(job, lease, hand);
      hand.active.add(work);
      try {
        return await work;
      } finally {
        hand.active.delete(work);
      }
    },
    async halt(run) {
      const hand = hands.get(run);
      if (hand === undefined) return;
      hands.delete(run);
      hand.halt.abort();
      await Promise.allSettled(hand.active);
    },
  };
}

function forgetOldest(hands: Map<string, Hand>): void {
  if (hands.size <= RUNS_KEPT) return;
  for (const [run, { active }] of hands) {
    if (active.size > 0) continue;
    hands.delete(run);
    return;
  }
}
