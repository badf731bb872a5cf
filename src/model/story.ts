/**
 * What happened to a run, as people see it, with times from its start. No number of a report comes
 * from here.
 */
import { z } from 'zod';
import { RUN_STATES, type Run } from './run.ts';

const HAPPENINGS = [
  ...RUN_STATES,
  'resolved',
  'rerun',
  'written-off',
  'purged',
  'service-well',
  'service-failing',
  'service-away',
  'service-held',
] as const;

export const happeningSchema = z.object({
  at: z.number(),
  what: z.enum(HAPPENINGS),
  /** A reason, a person's words, the rerun's id, why nothing answers; or empty. */
  why: z.string(),
  /** Who asked for it; '': nobody. */
  by: z.string(),
});
export type Happening = z.infer<typeof happeningSchema>;

export type Told = ReturnType<typeof tellStory>[number];

/** Oldest first, with its end; empty before it begins. */
export function tellStory(
  { startedAt, finishedAt, state }: Pick<Run, 'startedAt' | 'finishedAt' | 'state'>,
  story: readonly Happening[],
) {
  if (startedAt === null) return [];
  const hasEnd = finishedAt === null || story.some(({ what }) => what === state);
  const end: Happening[] = hasEnd ? [] : [{ at: Date.parse(finishedAt), what: state, why: '', by: '' }];
  const start = Date.parse(startedAt);
  return [...story, ...end]
    .sort((a, b) => a.at - b.at)
    .map((one, i) => ({
      n: i + 1,
      seconds: Math.max(0, (one.at - start) / 1000),
      at: one.at,
      what: one.what,
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
  'written-off': 'rows were written off',
  purged: 'rows were purged',
  'service-well': 'the service answers again',
  'service-failing': 'the service fails',
  'service-away': 'the service is away',
  'service-held': 'the service asked for a pause',
};

function wordsOf({ what, why, by }: Happening, isStart: boolean): string {
  const did = what === 'running' && isStart ? 'began' : WORDS[what];
  return `${did}${by === '' ? '' : ` by ${by}`}${why === '' ? '' : `: ${why}`}`;
}
