import { performance } from 'node:perf_hooks';
import { SHIPPED_TIMES, type Times } from '../../../src/lib/times.ts';
import { until } from '../../support/until.ts';

/** The long part has its machine alone, and says so (vitest.faults.config.ts); tests of `npm test` run beside each other, on machines of any speed. */
const ALONE = process.env.ONBOARD_TESTS_ALONE === '1';

/** How many times as long as on a machine of its own something may take. */
export const SLOWNESS = ALONE ? 1 : 4;

/** What processes wait for each other: the shipped times in the long part and in `shipped-times.test.ts`, shorter ones in `npm test`. */
export const TIMES: Times = ALONE
  ? SHIPPED_TIMES
  : { lockMs: 4_000, graceMs: 4_000, deadlineMs: 10_000, lookUpAfterMs: 1_000 };

/** How long it takes at most until a killed worker's chunk is taken over, on a machine that is busy. */
export function takeOverSeconds({ lockMs }: Times): number {
  return ((1.5 * lockMs) / 1000 + 5) * SLOWNESS;
}

const LOOK_MS = 20;

/** What a counter did between the watch's start and its stop. */
export type Watched = {
  /** The longest time in which the counter stood still between two of its values. */
  readonly longestStandstillMs: number;
};

/** Watches a counter that only grows. */
export function watchProgress(count: () => number): { stop(): Watched } {
  let seen = count();
  let since: number | null = null;
  let longestStandstillMs = 0;
  const look = () => {
    const now = count();
    if (now === seen) return;
    if (since !== null) longestStandstillMs = Math.max(longestStandstillMs, performance.now() - since);
    seen = now;
    since = performance.now();
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { longestStandstillMs };
    },
  };
}

/** Seconds since a moment of `performance.now()`, to the millisecond. */
export function secondsSince(at: number): number {
  return Math.round(performance.now() - at) / 1000;
}

/** A random moment is what is wanted here: resolves that much later, or as soon as it is over. */
export async function momentLater(ms: number, isOver: () => boolean = () => false): Promise<void> {
  const at = performance.now() + ms;
  await until(() => performance.now() >= at || isOver());
}
