/**
 * No run waits for other runs' chunks to end, which takes minutes at a slow service. While all
 * places of a process are taken, one more is opened for each run with hardly anything in hand, and
 * its first chunk is brought forward into it. An extra place closes with the next chunk that ends.
 * Runs share the requests in flight, so more chunks are not more requests.
 */

import { performance } from 'node:perf_hooks';
import type { Worker } from 'bullmq';
import { runOfJobId } from './chunk-job.ts';
import { priorityBefore } from './chunk-order.ts';
import { type BullQueue, eachJob } from './chunk-queue.ts';

/** Extra places of one process, one or two per run without others: bounds its memory. */
const EXTRA_PLACES_MAX = 56;
/** Places that are all taken for so long keep a new run out. */
const LOOK_MS = 200;
/** From the close of an extra place to the next look. */
const LOOK_AGAIN_MS = 50;
/** Waiting chunks per look: new runs stand before those that have had their turns. */
const LOOKED_AT = 128;
/** While one chunk of a run waits for its last answers the next has begun. */
const CHUNKS_PER_RUN = 2;

type StarvationGuard = {
  /** Call once at the take's end: a lost and retaken chunk has a place for each take. */
  take(id: string): () => void;
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
    // Taken elsewhere meanwhile: the next look finds another.
    if (!first || !isFull()) return;
    // Before all that wait: a worker takes the first.
    const priority = priorityBefore(first.priority);
    await eachJob(queue, starved, (job) => job.changePriority({ priority }));
    if (!isFull()) return;
    worker.concurrency += starved.length;
    // With all places taken a worker reads its concurrency only when one is free or it is resumed.
    // Nothing pauses: both calls happen in one turn.
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
        // An extra place is not for the next chunk, but perhaps for another run without one.
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
 * The waiting chunks that get an extra place, `room` at most: the first of each run with hardly
 * anything in hand, runs with nothing first. Both lists are job ids, `waiting` in its order.
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
