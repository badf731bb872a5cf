import type { FigureId } from './figures.ts';
import type { Pair } from './pairs.ts';

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
