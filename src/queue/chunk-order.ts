/**
 * The order in which workers take the chunks of several runs, as arithmetic without I/O. It is start-time fair queueing (Goyal,
 * Vin, Cheng 1996) in the numbers that BullMQ calls priorities, lower ones first: runs that always have chunks waiting take turns, a
 * new run begins where the queue has come to, and no run collects turns while it has nothing to send. A run that gets no place although
 * its turn has come is `chooseStarved`'s matter.
 */

/** Chunks of a run that may wait or be worked on at once, as long as the queue is not crowded. */
export const OPEN_CHUNKS_MAX = 64;

/** Before all others. 0 is BullMQ's word for no priority: such a job goes before all that have one. */
const FRONT_PRIORITY = 1;
/** Where an empty queue begins: what is brought forward finds room before it. */
export const FIRST_PRIORITY = 2;
/** The last open chunk of a run stands no further behind the first waiting one than that. */
const SPAN = OPEN_CHUNKS_MAX + 1;
/** Half of BullMQ's range: beyond it priorities are counted from the first again. */
const PRIORITY_MAX = 2 ** 20;
/** BullMQ refuses a priority above it. */
const PRIORITY_LIMIT = 2 ** 21 - 1;

/** What decides where a run's next chunk stands in the queue. */
type Backlog = {
  /** How far the queue has come: the priority of the chunk that is taken next. */
  readonly virtualTime: number;
  /** The priority of the run's chunk before; `null`: there was none. */
  readonly last: number | null;
  /** The run's chunks that are waiting or worked on. */
  readonly open: number;
};

/**
 * A chunk's priority. A `last` that is from before a renumbering does no harm: a run is never further behind than its open
 * chunks.
 */
export function nextPriority({ virtualTime, last, open }: Backlog): number {
  if (last === null) return virtualTime;
  return Math.min(Math.max(virtualTime, last + 1), virtualTime + open + 1, PRIORITY_LIMIT);
}

/**
 * The priority of a chunk that comes back: a run's chunks that come back together are spread, and none keeps the one it had, with
 * which it would come before everybody's again and again.
 */
export function priorityAgain(virtualTime: number, chunk: number): number {
  return Math.min(virtualTime + 1 + (chunk % OPEN_CHUNKS_MAX), PRIORITY_LIMIT);
}

/** From the first to the last of the waiting chunks. */
type Reach = { readonly first: number; readonly last: number };

/**
 * Whether the waiting chunks must be renumbered: the numbers run out, or one stands further behind than any run has open chunks.
 * That one came back when the queue had been empty in between, and would wait for all that its number says.
 */
export function isRenumberingDue({ first, last }: Reach): boolean {
  return last > PRIORITY_MAX || last - first > 2 * SPAN;
}

/**
 * A waiting chunk's priority after the renumbering: in the order and at the distances as before, none further behind than any run
 * has open chunks. Where another process has renumbered it meanwhile, it stays as it is.
 */
export function renumbered(priority: number, { first, last }: Reach): number {
  if (priority < first) return priority;
  const base = last > PRIORITY_MAX ? FIRST_PRIORITY : first;
  return base + Math.min(priority - first, SPAN);
}

/** The priority of chunks that go before a waiting one; among each other in the order in which they get it. */
export function priorityBefore(first: number): number {
  return Math.max(FRONT_PRIORITY, first - 1);
}
