/**
 * What happened to a run, as people see it, with times from its start. No number of a report comes
 * from here.
 */
import { z } from 'zod';
import type { Run } from './run.ts';

/** Of the audit, by its names; and of the service. */
const WORDS = {
  registered: 'registered',
  rerun: 'registered as a re-run',
  'taken-up': 'rows were taken up again',
  began: 'began',
  resumed: 'went on',
  approved: 'approved',
  paused: 'paused',
  stopped: 'stopped',
  cancelled: 'cancelled',
  ended: 'ended',
  resolved: 'settled from in doubt',
  'looked-up': 'settled from in doubt, as the service says',
  'written-off': 'rows were written off',
  purged: 'rows were purged',
  replied: 'the answer to the partner was written',
  'process-lost': 'a process was lost',
  'taken-over': 'another process reads its rows',
  'redis-away': 'Redis was away',
  'service-well': 'the service answers again',
  'service-failing': 'the service fails',
  'service-away': 'the service is away',
  'service-held': 'the service asked for a pause',
  'service-refused': 'the service refused the token, and another one is waited for',
} as const;

/** Nobody's act: it happens by itself. */
const HAPPENS = /^(?:began|ended|process-lost|taken-over|redis-away|service-.*)$/;

export function isAct(what: string): boolean {
  return !HAPPENS.test(what);
}

/** As all workers found it. */
export const SERVICE_STATES = ['well', 'failing', 'away', 'held', 'refused'] as const;
export type ServiceState = (typeof SERVICE_STATES)[number];

export const happeningSchema = z.object({
  at: z.number(),
  what: z.string().refine((what): what is keyof typeof WORDS => Object.hasOwn(WORDS, what)),
  /** A reason, a person's words, the rerun's id, why nothing answers; or empty. */
  why: z.string(),
  /** Who asked for it; '': nobody. */
  by: z.string(),
});
export type Happening = z.infer<typeof happeningSchema>;

export type Told = ReturnType<typeof tellStory>[number];

/** Oldest first. */
export function tellStory({ startedAt }: Pick<Run, 'startedAt'>, story: readonly Happening[]) {
  const start = startedAt === null ? Number.POSITIVE_INFINITY : Date.parse(startedAt);
  return [...story]
    .sort((a, b) => a.at - b.at)
    .map((one, i) => ({
      n: i + 1,
      seconds: Math.max(0, (one.at - start) / 1000),
      at: one.at,
      what: one.what,
      words: wordsOf(one),
    }));
}

function wordsOf({ what, why, by }: Happening): string {
  return `${WORDS[what]}${by === '' ? '' : ` by ${by}`}${why === '' ? '' : `: ${why}`}`;
}
