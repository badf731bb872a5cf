/**
 * Exit statuses, on which scripts rely. Only here do a run's state and outcomes become one, are two
 * compared, and does one end a series of files.
 */
import { countSettled, countUnsuccessful, type OutcomeCounts } from './outcome.ts';
import type { Run } from './run.ts';

export const EXIT = {
  /** Every row succeeded or was skipped. */
  success: 0,
  /** Finished; some rows are invalid, rejected, denied or failed. */
  unsuccessful: 1,
  /** Before the end: error limit, credentials, permission, service away, paused, cancelled. */
  stopped: 2,
  /** Could not start, or a file was not taken; also a report whose rows don't add up. */
  notStarted: 3,
  /** Interrupted by a signal. */
  interrupted: 4,
  /** Finished; at least one row is in doubt. */
  inDoubt: 5,
  /** A defect of the program: says nothing of rows. */
  defect: 70,
} as const;

export function exitCodeOf(run: Pick<Run, 'state' | 'reason' | 'rows' | 'outcomes'>): number {
  if (run.state === 'finished') return finishedExitCode(run.rows, run.outcomes);
  return run.reason === 'interrupted' ? EXIT.interrupted : EXIT.stopped;
}

function finishedExitCode(rows: number, outcomes: OutcomeCounts): number {
  if (countSettled(outcomes) !== rows) return EXIT.notStarted;
  if (outcomes['in-doubt'] > 0) return EXIT.inDoubt;
  return countUnsuccessful(outcomes) > 0 ? EXIT.unsuccessful : EXIT.success;
}

/** From best to worst. */
const BY_SEVERITY: readonly number[] = [
  EXIT.success,
  EXIT.unsuccessful,
  EXIT.inDoubt,
  EXIT.stopped,
  EXIT.notStarted,
  EXIT.interrupted,
];

export function worse(a: number, b: number): number {
  return BY_SEVERITY.indexOf(a) < BY_SEVERITY.indexOf(b) ? b : a;
}

/** Whether later files are not begun: they may build on this one. */
export function endsSeries(exitCode: number): boolean {
  return exitCode === EXIT.stopped || exitCode === EXIT.notStarted || exitCode === EXIT.interrupted;
}
