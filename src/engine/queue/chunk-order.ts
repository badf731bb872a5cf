/**
 * The order in which workers take the chunks of several runs: start-time fair queueing (Goyal, Vin,
 * Cheng 1996) in BullMQ's priorities, lower ones first. Runs take turns, a new run begins where the
 * queue has come to, and no run collects turns while it has nothing to send.
 */

/** Chunks of a run that may wait or be in hand at once, while the queue is not crowded. */
export const OPEN_CHUNKS_MAX = 64;

/** Before all others. 0 means no priority to BullMQ: such a job goes before all that have one. */
const FRONT_PRIORITY = 1;
/** Where an empty queue begins: leaves room before it. */
export const FIRST_PRIORITY = 2;
/** BullMQ refuses a higher priority. A queue that is full for 200 million rows stays there. */
const PRIORITY_LIMIT = 2 ** 21 - 1;

/** Decides where a run's next chunk stands in the queue. */
type Backlog = {
  /** The priority of the chunk that is taken next. */
  readonly virtualTime: number;
  /** The priority of the run's chunk before; `null`: there was none. */
  readonly last: number | null;
  /** The run's chunks that wait or are in hand. */
  readonly open: number;
};

/** A `last` from before the queue was empty is harmless: open chunks bound the distance. */
export function nextPriority({ virtualTime, last, open }: Backlog): number {
  if (last === null) return virtualTime;
  return Math.min(Math.max(virtualTime, last + 1), virtualTime + open + 1, PRIORITY_LIMIT);
}

/**
 * For a chunk that comes back: spreads a run's chunks, and never returns the old priority, which
 * would put it before all others again and again.
 */
export function priorityAgain(virtualTime: number, chunk: number): number {
  return Math.min(virtualTime + 1 + (chunk % OPEN_CHUNKS_MAX), PRIORITY_LIMIT);
}

/** For chunks that go before a waiting one, in the order in which they get it. */
export function priorityBefore(first: number): number {
  return Math.max(FRONT_PRIORITY, first - 1);
}
