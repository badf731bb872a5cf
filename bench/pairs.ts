/** One round: what either side came to. */
export type Pair<T> = { readonly ours: T; readonly theirs: T };

/** Runs both sides in every round, the other one first in every second: what drifts meanwhile drifts for both. */
export async function alternate<T>(
  rounds: number,
  sides: { ours(): Promise<T>; theirs(): Promise<T> },
): Promise<readonly Pair<T>[]> {
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const ours = await sides.ours();
      pairs.push({ ours, theirs: await sides.theirs() });
    } else {
      const theirs = await sides.theirs();
      pairs.push({ ours: await sides.ours(), theirs });
    }
  }
  return pairs;
}
