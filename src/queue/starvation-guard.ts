/**
 * Sees to it that no run waits for chunks of others to end, which takes minutes where the service is slow. While all places of a
 * process are taken, one more is opened for each run that has hardly anything in hand there, and the run's first chunk is brought
 * forward to take it. Runs share the requests in flight whatever chunks they have in hand, so that more of those are
 * not more requests. An extra place is closed again with the next chunk that ends.
 */

import { performance } from 'node:perf_hooks';
import type { Worker } from 'bullmq';
import { runOfJobId } from './chunk-job.ts';
import { priorityBefore } from './chunk-order.ts';
import { type BullQueue, eachJob } from './chunk-queue.ts';

/** Extra places of one process, one or two for each run that has no others: they bound what it holds in memory. */
const EXTRA_PLACES_MAX = 56;
/** Places that are all taken for so long give a new run no way in. */
const LOOK_MS = 200;
/** From when an extra place was closed until the next look. */
const LOOK_AGAIN_MS = 50;
/** Waiting chunks that are looked through: new runs stand before those that have had their turns. */
const LOOKED_AT = 128;
/** While one of a run's chunks is at its last answers the next has begun. */
const CHUNKS_PER_RUN = 2;

/** The takes of chunks that a worker has in hand. */
type StarvationGuard = {
  /** To be called once at the take's end: a chunk that was lost for a while and taken anew has a place for each of its takes. */
  take(id: string): () => void;
  /** Opens no more places. */
  close(): void;
};

export function createStarvationGuard(options: {
  readonly worker: Pick<Worker, 'concurrency' | 'pause' | 'resume'>;
  readonly queue: BullQueue;
  readonly onError: (error: Error) => void;
}): StarvationGuard {
  const { worker, queue, onError } = options;
  const places = worker.concurrency;
  const inHand = new Set<{ readonly id: string }>();
  let takenAt = 0;
  let isLooking = false;
  let isClosed = false;
  const isFull = () => !isClosed && inHand.size >= worker.concurrency;

  const look = async () => {
    const waiting = await queue.getRanges(['prioritized'], 0, LOOKED_AT - 1, true);
    const ids = [...inHand].map(({ id }) => id);
    const starved = chooseStarved(waiting, ids, places + EXTRA_PLACES_MAX - worker.concurrency);
    const first = starved.length > 0 && (await queue.getJob(waiting[0] ?? ''));
    // Gone by now: it was taken elsewhere, and the next look finds another.
    if (!first || !isFull()) return;
    // Before all that wait, since a worker takes what is first.
    const priority = priorityBefore(first.priority);
    await eachJob(queue, starved, (job) => job.changePriority({ priority }));
    if (!isFull()) return;
    worker.concurrency += starved.length;
    // With all places taken a worker looks at its concurrency only when one is free, or when it is resumed. Nothing is paused
    // meanwhile, since both happen before anything else can.
    void worker.pause(true);
    void worker.resume();
  };
  const lookIfFull = () => {
    if (isLooking || !isFull()) return;
    isLooking = true;
    const done = () => {
      isLooking = false;
    };
    void look().catch(onError).finally(done);
  };
  const timer = setInterval(() => {
    if (performance.now() - takenAt >= LOOK_MS) lookIfFull();
  }, LOOK_MS);
  timer.unref();

  return {
    take(id) {
      const own = { id };
      inHand.add(own);
      takenAt = performance.now();
      return () => {
        inHand.delete(own);
        if (worker.concurrency <= places) return;
        // An extra place is not for whoever is next, but it may be for another run that has none.
        worker.concurrency -= 1;
        setTimeout(lookIfFull, LOOK_AGAIN_MS).unref();
      };
    },
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/**
 * The waiting chunks that get an extra place, `room` at most: the first of each run of which there is hardly anything in hand,
 * runs that have nothing before the others. Both lists are job ids, the waiting ones in their order.
 */
export function chooseStarved(
  waiting: readonly string[],
  inHand: readonly string[],
  room: number,
): readonly string[] {
  const held = new Map<string, number>();
  const heldBy = (id: string) => held.get(runOfJobId(id)) ?? 0;
  for (const id of inHand) held.set(runOfJobId(id), heldBy(id) + 1);
  const firsts = new Map<string, string>();
  for (const id of waiting) {
    const run = runOfJobId(id);
    if (!firsts.has(run) && heldBy(id) < CHUNKS_PER_RUN) firsts.set(run, id);
  }
  return [...firsts.values()].sort((a, b) => heldBy(a) - heldBy(b)).slice(0, room);
}
