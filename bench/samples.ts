import type { FigureId } from './figures.ts';

/** What a figure was measured as: one value per round, in its unit. */
export type Samples = {
  readonly figure: FigureId;
  readonly values: readonly number[];
  /** What the values were computed from, by name: one per round, in rounds' order. */
  readonly details: Readonly<Record<string, readonly number[]>>;
};

/** The rows per second of a run: of the whole process, and as it says itself where it does. */
export type Rate = { readonly rowsPerSecond: number; readonly ownRowsPerSecond?: number };

/** Our rate against theirs, round by round. */
export function ratioSamples(figure: FigureId, pairs: readonly Pair<Rate>[]): Samples {
  return {
    figure,
    values: pairs.map(({ ours, theirs }) => ours.rowsPerSecond / theirs.rowsPerSecond),
    details: {
      rowsPerSecond: pairs.map(({ ours }) => ours.rowsPerSecond),
      peerRowsPerSecond: pairs.map(({ theirs }) => theirs.rowsPerSecond),
      ...own(pairs),
    },
  };
}

function own(pairs: readonly Pair<Rate>[]): Samples['details'] {
  const summaryRowsPerSecond = pairs.flatMap(({ ours }) => ours.ownRowsPerSecond ?? []);
  return summaryRowsPerSecond.length === 0 ? {} : { summaryRowsPerSecond };
}

/** What several runs of one measurement say together. */
type Spread = { readonly median: number; readonly low: number; readonly high: number };

/** The middle value, or the mean of the two in the middle; an Error for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.ceil(sorted.length / 2) - 1];
  if (low === undefined || high === undefined) throw new Error('no values: expected at least one');
  return (low + high) / 2;
}

/** Median, least and greatest of the values; an Error for none. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** One round: what either side came to. */
type Pair<T> = { readonly ours: T; readonly theirs: T };

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
