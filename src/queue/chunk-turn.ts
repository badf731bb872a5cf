import type { ChunkJob } from './chunk-job.ts';

/** Chunks of a run that may wait or be worked on at once, as long as the queue is not crowded. */
export const OPEN_CHUNKS_MAX = 64;

/** Between two chunks of a run of weight 1, in turns: a multiple of the usual weights, so that theirs are whole. */
const STEP = 16;
/** Half of what BullMQ takes as a priority: turns beyond it are counted afresh. */
const TURN_MAX = 2 ** 20;
/** A chunk of the slowest run that is last among its open ones waits no further behind the first than that. */
const SPAN = (OPEN_CHUNKS_MAX + 1) * STEP;
/** What an empty queue has come to. 0 is BullMQ's word for none: such a job goes before all that have one. */
export const FIRST_TURN = 1;

/** What decides where a run's next chunk stands in the queue. */
export type Standing = {
  /** The turn that the queue has come to: that of the chunk that is taken next. */
  readonly now: number;
  /** The turn of the run's chunk before it; `null`: there was none. */
  readonly last: number | null;
  /** The run's chunks that are waiting or worked on. */
  readonly open: number;
  readonly weight: number;
};

/**
 * A chunk's turn; the queue takes lower ones first. Start-time fair queueing (Goyal, Vin, Cheng 1996): runs that always have
 * chunks waiting get on in proportion to their weights, a new one begins where the queue has come to, and nobody collects
 * turns while it has nothing to send. A `last` from before turns were counted afresh does no harm: a run is never further
 * behind than its open chunks.
 */
export function nextTurn({ now, last, open, weight }: Standing): number {
  if (last === null) return now;
  const step = STEP / weight;
  return Math.min(Math.max(now, last + step), now + (open + 1) * step);
}

/** The turn of a chunk that comes back when the queue has come to `now`: a run's chunks that come back at once are spread. */
export function turnAgain(now: number, { chunk, weight = 1 }: Pick<ChunkJob, 'chunk' | 'weight'>): number {
  return now + ((1 + (chunk % OPEN_CHUNKS_MAX)) * STEP) / weight;
}

/** A turn as BullMQ's priority: a whole number from 1. */
export function priorityOf(turn: number): number {
  return Math.max(FIRST_TURN, Math.ceil(turn));
}

/** Whether a queue with such a last turn has to count afresh. */
export function isFar(last: number): boolean {
  return last > TURN_MAX;
}

/** A turn when they are counted afresh from `first`; one that has got lost far behind is taken back among the others. */
export function turnAfresh(turn: number, first: number): number {
  return FIRST_TURN + Math.min(turn - first, SPAN);
}
