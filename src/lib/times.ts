/**
 * How long processes wait for each other. These times are part of the program's promise, so no user
 * sets them; tests use shorter ones (test/faults/support/times.ts), and check the shipped ones.
 */
export type Times = {
  /** A dead worker's lock on a chunk, and lease on a file: taken over after 0.8 to 1.5 of it. */
  readonly lockMs: number;
  /** A worker without a check-in for this long after Redis came back is not waited for. */
  readonly graceMs: number;
  /** For an interrupted process to settle rows in flight; without Redis nothing is recorded. */
  readonly deadlineMs: number;
  /** From the doubt to the look-up: the create may still be under way. */
  readonly lookUpAfterMs: number;
};

export const SHIPPED_TIMES: Times = {
  lockMs: 10_000,
  graceMs: 15_000,
  deadlineMs: 30_000,
  lookUpAfterMs: 10_000,
};
