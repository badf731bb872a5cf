/**
 * A run's history, as pictures and people see it: counters over time, how long the service took, and what happened. Time is counted from
 * the run's start in slots that grow with it, so that a run of any length has at most some 1,500 of them and everybody who writes names
 * the same ones. No number of a report comes from here.
 */
import { z } from 'zod';
import { noOutcomes, OUTCOMES, type Outcome, type OutcomeCounts } from './outcome.ts';
import { RUN_STATES, type Run } from './run.ts';

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

/** The slot of that second and those before it, newest first. */
export function latestSlots(seconds: number, most: number): readonly number[] {
  const slots: number[] = [];
  for (let at = seconds; at >= 0 && slots.length < most; ) {
    const slot = slotOf(at);
    slots.push(slot);
    at = slot - 0.001;
  }
  return slots;
}

/** Rows per second from one second after the start to another. */
export type Stretch = {
  readonly from: number;
  readonly to: number;
  readonly rates: ReadonlyArray<{ readonly outcome: Outcome; readonly perSecond: number }>;
};

/** As many as a picture has room for. */
const STRETCHES = 160;
const LEAST_SECONDS = 0.2;

/** How many rows a second gained each outcome since the sample before, the first since `start`. */
export function ratesOf(
  pulse: History['pulse'],
  start: Sample = { ms: 0, outcomes: noOutcomes() },
): readonly Stretch[] {
  const least = Math.max(LEAST_SECONDS, (pulse.at(-1)?.ms ?? 0) / 1000 / STRETCHES);
  const stretches: Stretch[] = [];
  let before = start;
  for (const [i, sample] of pulse.entries()) {
    const seconds = (sample.ms - before.ms) / 1000;
    if (seconds < least && (i < pulse.length - 1 || seconds <= 0)) continue;
    const counted = before.outcomes;
    const rates = OUTCOMES.flatMap((outcome) => {
      const gained = sample.outcomes[outcome] - counted[outcome];
      return gained > 0 ? [{ outcome, perSecond: gained / seconds }] : [];
    });
    stretches.push({ from: before.ms / 1000, to: sample.ms / 1000, rates });
    before = sample;
  }
  return stretches;
}

/** What happened to a run, for people; numbered as its picture has it. */
export type Told = {
  readonly n: number;
  /** Seconds since the run's start. */
  readonly seconds: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly words: string;
};

/** The run's story in words, oldest first, with its end; empty before it begins. */
export function tellStory(
  { startedAt, finishedAt, state }: Pick<Run, 'startedAt' | 'finishedAt' | 'state'>,
  story: History['story'],
): readonly Told[] {
  if (startedAt === null) return [];
  const hasEnd = finishedAt === null || story.some(({ what }) => what === state);
  const end = hasEnd ? [] : [{ at: Date.parse(finishedAt), what: state, why: '', by: '' }];
  const start = Date.parse(startedAt);
  return [...story, ...end]
    .sort((a, b) => a.at - b.at)
    .map((one, i) => ({
      n: i + 1,
      seconds: Math.max(0, (one.at - start) / 1000),
      at: one.at,
      words: wordsOf(one, one.at <= start),
    }));
}

const WORDS: Readonly<Record<Happening['what'], string>> = {
  queued: 'registered',
  running: 'went on',
  paused: 'paused',
  stopped: 'stopped',
  cancelled: 'cancelled',
  finished: 'finished',
  resolved: 'settled from in doubt',
  rerun: 'rows were taken up again',
  'service-well': 'the service answers again',
  'service-failing': 'the service fails',
  'service-away': 'the service is away',
  'service-held': 'the service asked for a pause',
};

function wordsOf({ what, why, by }: Happening, isStart: boolean): string {
  const did = what === 'running' && isStart ? 'began' : WORDS[what];
  return `${did}${by === '' ? '' : ` by ${by}`}${why === '' ? '' : `: ${why}`}`;
}
