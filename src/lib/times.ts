/**
 * How long processes wait for each other: part of the program's promise, so no user sets them;
 * tests use shorter ones, and check the shipped ones.
 */
export type Times = Readonly<typeof SHIPPED_TIMES>;

export const SHIPPED_TIMES = {
  /** A dead worker's lock on a chunk, and lease on a file: taken over after 0.8 to 1.5 of it. */
  lockMs: 10_000,
  /** A worker without a check-in for this long after Redis came back is not waited for. */
  graceMs: 15_000,
  /** For an interrupted process to settle rows in flight; without Redis nothing is recorded. */
  deadlineMs: 30_000,
  /** From the doubt to the look-up: the create may still be under way. */
  lookUpAfterMs: 10_000,
  /** How long a Redis that refuses this program is asked again: a password may be on its way. */
  refusedMs: 120_000,
  /** How long the source of a refused token is asked for another one. */
  tokenMs: 120_000,
  /** How often it is asked for runs that were paused for want of one. */
  pausedTokenMs: 60_000,
};
