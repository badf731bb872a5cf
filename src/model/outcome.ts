/**
 * What can become of a row, with everything that follows from an outcome alone: its report file,
 * whether it was sent and counts as done, what becomes of its key, and the counts whose sum is the
 * control total.
 */
import { z } from 'zod';

/** Every row of a run ends in exactly one of these. */
export const OUTCOMES = [
  'created',
  'updated',
  'drafted',
  'listed',
  'adopted',
  'skipped',
  'invalid',
  'rejected',
  'denied',
  'failed',
  'in-doubt',
  'cancelled',
] as const;

export const outcomeSchema = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof outcomeSchema>;

/** The report file with the row's source record; `none`: the row succeeded. */
export type Remainder = 'none' | 'rejected' | 'failed' | 'in-doubt';

export const REMAINDER: Readonly<Record<Outcome, Remainder>> = {
  created: 'none',
  updated: 'none',
  drafted: 'none',
  listed: 'none',
  adopted: 'none',
  skipped: 'none',
  invalid: 'failed',
  rejected: 'rejected',
  denied: 'failed',
  failed: 'failed',
  'in-doubt': 'in-doubt',
  cancelled: 'none',
};

/** An outcome, or none yet. */
export type Kind = Outcome | 'pending';

/** In a terminal: done, gone wrong, unknown, not sent. */
export function outcomeSign(kind: Kind): '✓' | '✗' | '?' | '·' {
  if (kind === 'in-doubt') return '?';
  if (kind === 'cancelled' || kind === 'skipped' || kind === 'pending') return '·';
  return REMAINDER[kind] === 'none' ? '✓' : '✗';
}

/** Exit status 0 requires it of every row. */
export function succeeded(outcome: Outcome): boolean {
  return REMAINDER[outcome] === 'none' && outcome !== 'cancelled';
}

/**
 * Whether a closed chunk has the row among its open ones: it did not succeed, or another outcome
 * may replace its own (`isReplaceable` in run-view.ts).
 */
export function staysOpen(outcome: Outcome): boolean {
  return !succeeded(outcome) || outcome === 'adopted';
}

/** Of rows that the service accepted. */
export type AcceptedOutcome = Extract<Outcome, 'created' | 'updated' | 'drafted' | 'listed'>;

const ACCEPTED: ReadonlySet<Outcome> = new Set<AcceptedOutcome>(['created', 'updated', 'drafted', 'listed']);

export function wasAccepted(outcome: Outcome): boolean {
  return ACCEPTED.has(outcome);
}

const UNSENT: ReadonlySet<Outcome> = new Set(['adopted', 'skipped', 'invalid', 'cancelled']);

export function wasSent(outcome: Outcome): boolean {
  return !UNSENT.has(outcome);
}

const LEAVES_AS_IT_WAS: ReadonlySet<Outcome> = new Set(['invalid', 'rejected', 'denied']);

/** Whether a single attempt with that end surely left the service's record as it was. */
export function leavesAsItWas(outcome: Outcome): boolean {
  return LEAVES_AS_IT_WAS.has(outcome);
}

/**
 * What becomes of a row's key. `known`: a record stands under it. `in-doubt`: one may have
 * been, so the key stays claimed. `given-back`: nothing was created, and another row may have the
 * key.
 */
export const KEY_AFTER: Readonly<Record<Outcome, 'known' | 'in-doubt' | 'given-back'>> = {
  created: 'known',
  drafted: 'known',
  adopted: 'known',
  'in-doubt': 'in-doubt',
  updated: 'given-back',
  listed: 'given-back',
  skipped: 'given-back',
  invalid: 'given-back',
  rejected: 'given-back',
  denied: 'given-back',
  failed: 'given-back',
  cancelled: 'given-back',
};

/** May be negative where Redis counted something twice, until its ledger is verified. */
export const outcomeCountsSchema = z.record(outcomeSchema, z.number().int());
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

const NONE = outcomeCountsSchema.parse(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])));

export function noOutcomes(): OutcomeCounts {
  return { ...NONE };
}

/** The control total: rows that have an outcome. */
export function countSettled(counts: OutcomeCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

export function acceptedRows(counts: OutcomeCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + (wasAccepted(outcome) ? counts[outcome] : 0), 0);
}

/** Settled rows without success, as `stopAfter` counts them. */
export function countUnsuccessful(counts: OutcomeCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + (succeeded(outcome) ? 0 : counts[outcome]), 0);
}

export function kindsOf({
  outcomes,
  rows,
}: {
  readonly outcomes: OutcomeCounts;
  readonly rows: number;
}): ReadonlyArray<readonly [Kind, number]> {
  const settled = OUTCOMES.map((outcome) => [outcome, outcomes[outcome]] as const);
  return [...settled, ['pending', rows - countSettled(outcomes)] as const].filter(([, n]) => n > 0);
}
