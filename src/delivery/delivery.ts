import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../queue/chunk-worker.ts';
import { deliverChunk } from './deliver-chunk.ts';
import type { RunContext } from './run-context.ts';

/** What a worker process does with the chunks it is handed. */
export type Delivery = {
  deliver(job: ChunkJob, lease: ChunkLease): Promise<ChunkEnd>;
  /** Sends nothing more of the run in this process, and resolves when its rows in flight are settled. */
  halt(run: string): Promise<void>;
  /** The same for every run; chunks that come later are put back. */
  close(): Promise<void>;
};

/** `null` for a run that the ledger doesn't know, or not now: its Redis may have been emptied and is being put back. */
export type MakeContext = (run: string, stopping: AbortSignal) => Promise<RunContext | null>;

type Hand = {
  readonly context: Promise<RunContext | null>;
  readonly halt: AbortController;
  readonly active: Set<Promise<ChunkEnd>>;
};

/** Runs that a process has lately worked for: as many as can have chunks in hand at once. */
const RUNS_KEPT = 64;

/** `interrupted`: the process is to end; nothing new is sent. */
export function createDelivery(makeContext: MakeContext, interrupted: AbortSignal): Delivery {
  const taker = createTaker();
  const hands = new Map<string, Hand>();
  let closing = false;
  // One listener for all: AbortSignal.any leaves something behind in a signal that lives on.
  const haltAll = () => {
    for (const { halt } of hands.values()) halt.abort();
  };
  interrupted.addEventListener('abort', haltAll);

  const handOf = (run: string): Hand => {
    const known = hands.get(run);
    if (known !== undefined) return known;
    const halt = new AbortController();
    // Every row that waits listens.
    setMaxListeners(0, halt.signal);
    if (interrupted.aborted) halt.abort();
    const context = makeContext(run, halt.signal);
    const hand = { context, halt, active: new Set<Promise<ChunkEnd>>() };
    hands.set(run, hand);
    for (const idle of idleBeyond(hands, RUNS_KEPT)) void forget(idle);
    return hand;
  };
  const carryOut = async (job: ChunkJob, lease: ChunkLease, hand: Hand): Promise<ChunkEnd> => {
    const context = await hand.context;
    if (context !== null) return deliverChunk(job, { context, lease, taker: taker() });
    // The next chunk looks for itself. One that is dropped is lost for good, and putting back a ledger may take any time:
    // a look at each every few seconds is the smaller evil, even where the run never comes back.
    if (hands.get(job.run) === hand) void forget(job.run);
    return 'put-aside';
  };
  /** Its connections are closed when its rows have had their answers. */
  const forget = async (run: string): Promise<void> => {
    const hand = hands.get(run);
    if (hand === undefined) return;
    hands.delete(run);
    hand.halt.abort();
    await Promise.allSettled(hand.active);
    await hand.context.then((context) => context?.close()).catch(() => undefined);
  };

  return {
    async deliver(job, lease) {
      if (closing) return 'put-back';
      const hand = handOf(job.run);
      const work = carryOut(job, lease, hand);
      hand.active.add(work);
      let end: ChunkEnd | null = null;
      try {
        end = await work;
        return end;
      } finally {
        hand.active.delete(work);
        // A run that pauses or fails begins afresh when it goes on: what was seen of the service before is no guide.
        if (end !== 'closed' && hand.active.size === 0 && hands.get(job.run) === hand) void forget(job.run);
      }
    },
    halt: forget,
    async close() {
      closing = true;
      interrupted.removeEventListener('abort', haltAll);
      await Promise.all([...hands.keys()].map(forget));
    },
  };
}

/** Names each take of a chunk, over all processes. */
function createTaker(): () => string {
  const process = randomBytes(5).toString('hex');
  let takes = 0;
  return () => {
    takes += 1;
    return `${process}.${takes}`;
  };
}

/** The oldest runs beyond the limit of which nothing is in hand. */
function idleBeyond(hands: ReadonlyMap<string, Hand>, limit: number): string[] {
  const idle = [...hands].filter(([, { active }]) => active.size === 0).map(([run]) => run);
  return idle.slice(0, Math.max(0, hands.size - limit));
}
