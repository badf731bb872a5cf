import { runOfJobId } from './chunk-job.ts';

/** While one of a run's chunks is at its last answers the next has begun. */
const CHUNKS_PER_RUN = 2;

/**
 * The waiting chunks that get a seat though all are taken, `room` at most: the first of each run of which there is hardly
 * anything in hand, those that have nothing before the others. Both lists are job ids, the waiting ones in their order.
 */
export function chooseGuests(
  waiting: readonly string[],
  inHand: readonly string[],
  room: number,
): readonly string[] {
  const held = new Map<string, number>();
  for (const id of inHand) held.set(runOfJobId(id), heldBy(held, id) + 1);
  const firsts = new Map<string, string>();
  for (const id of waiting) {
    const run = runOfJobId(id);
    if (!firsts.has(run) && heldBy(held, id) < CHUNKS_PER_RUN) firsts.set(run, id);
  }
  const guests = [...firsts.values()].sort((a, b) => heldBy(held, a) - heldBy(held, b));
  return guests.slice(0, room);
}

function heldBy(held: ReadonlyMap<string, number>, id: string): number {
  return held.get(runOfJobId(id)) ?? 0;
}
