import { noOutcomes, OUTCOMES, type OutcomeCounts, settledRows, unsuccessfulRows } from '../model/outcome.ts';

/** A count of rows, or a percentage such as `20%` (`stopAfter` of the job definition). */
export type StopAfter = number | string;

/** A share means little before this many rows have ended. */
const SHARE_AFTER_ROWS = 20;

/** The outcomes that came since. */
export function gained(counts: OutcomeCounts, before: OutcomeCounts): OutcomeCounts {
  const since = noOutcomes();
  for (const outcome of OUTCOMES) since[outcome] = Math.max(0, counts[outcome] - before[outcome]);
  return since;
}

/** Whether so many rows did not succeed that the run is to stop. */
export function isOverLimit(counts: OutcomeCounts, stopAfter: StopAfter | undefined): boolean {
  if (stopAfter === undefined) return false;
  const unsuccessful = unsuccessfulRows(counts);
  if (typeof stopAfter === 'number') return unsuccessful >= stopAfter;
  // 0% stops at the first row without success, not where every row succeeds.
  if (unsuccessful === 0) return false;
  const settled = settledRows(counts);
  return settled >= SHARE_AFTER_ROWS && unsuccessful / settled >= Number.parseFloat(stopAfter) / 100;
}
