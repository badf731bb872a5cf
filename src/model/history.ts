/**
 * A run's history, as pictures and people see it: counters over time, how long the service took, and what happened. Time is counted from
 * the run's start in slots that grow with it, so that a run of any length has at most some 1,500 of them and everybody who writes names
 * the same ones. No number of a report comes from here.
 */
import { z } from 'zod';
import type { OutcomeCounts } from './outcome.ts';
import { RUN_STATES } from './run.ts';

/** The counters as they stood so many ms after the run's start. */
export type Sample = { readonly ms: number; readonly outcomes: OutcomeCounts };

/** Attempts of one slot: by the meter's steps of time, one more behind the last; and by status where it is not 200. */
export type LatencySlot = {
  /** Seconds since the run's start at which the slot begins. */
  readonly slot: number;
  readonly counts: readonly number[];
  readonly statuses: ReadonlyMap<string, number>;
};

/** What can happen to a run: it comes into a state, rows of it are settled or taken up again, or the service does better or worse. */
const HAPPENINGS = [
  ...RUN_STATES,
  'resolved',
  'rerun',
  'service-well',
  'service-failing',
  'service-away',
  'service-held',
] as const;

export const happeningSchema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  what: z.enum(HAPPENINGS),
  /** In words: a state's reason or what a person said, the run that took rows up, why the service does not answer; or empty. */
  why: z.string(),
  /** Who asked for it; empty where nobody did. */
  by: z.string(),
});
export type Happening = z.infer<typeof happeningSchema>;

export type History = { readonly pulse: readonly Sample[]; readonly story: readonly Happening[] };

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Up to so many seconds after the start a slot is so long. */
const SLOTS = [
  { until: 2 * MINUTE, length: 1 },
  { until: HOUR, length: 10 },
  { until: DAY, length: 5 * MINUTE },
  { until: Number.POSITIVE_INFINITY, length: HOUR },
] as const;

/** The slot in which that second after the start is, named by the second at which it begins. */
export function slotOf(seconds: number): number {
  const length = SLOTS.find(({ until }) => seconds < until)?.length ?? HOUR;
  return Math.max(0, Math.floor(seconds / length) * length);
}
