/**
 * How long processes wait for each other before they do without. These times are part of what the program promises, so no user sets
 * them; tests hand over shorter ones (test/faults/support/quick.ts), and hold the shipped ones too.
 */
export type Times = {
  /** How long the lock on a dead worker's chunk lives, and the lease on a file that it was reading: others take over after 0.8 to 1.5 times that. */
  readonly lockMs: number;
  /** A worker that does not check in for this long after Redis came back is not waited for. */
  readonly graceMs: number;
  /** What an interrupted process has to settle its rows in flight: with Redis away nothing more can be recorded, and what is in the ledger by then has to do. */
  readonly deadlineMs: number;
  /** How long after the doubt the service is asked for a row: its create may still be under way. */
  readonly lookUpAfterMs: number;
};

export const SHIPPED_TIMES: Times = {
  lockMs: 10_000,
  graceMs: 15_000,
  deadlineMs: 30_000,
  lookUpAfterMs: 10_000,
};
