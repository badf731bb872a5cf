/** What several runs of one measurement say together. */
export type Spread = { readonly median: number; readonly low: number; readonly high: number };

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
