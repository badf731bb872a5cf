import { performance } from 'node:perf_hooks';
import { SHIPPED_TIMES, type Times } from '../../../src/lib/times.ts';
import { until } from '../../support/until.ts';

/** The long part has its machine alone, and says so (vitest.faults.config.ts); tests of `npm test` run beside each other, on machines of any speed. */
export const LONG = process.env.ONBOARD_TESTS_ALONE === '1';

/** Of a scenario's test; in the long part its configuration says it. */
export const TIMEOUT_MS = LONG ? undefined : 240_000;

/** How many times as long as on a machine of its own something may take. */
export const SLOWNESS = LONG ? 1 : 4;

/** What processes wait for each other: the shipped times in the long part, shorter ones in `npm test`. */
export const TIMES: Times = LONG
  ? SHIPPED_TIMES
  : { ...SHIPPED_TIMES, lockMs: 4_000, graceMs: 4_000, deadlineMs: 10_000, lookUpAfterMs: 1_000 };

/** How long it takes at most until a killed worker's chunk is taken over, on a machine that is busy. */
export function takeOverSeconds({ lockMs }: Times): number {
  return ((1.5 * lockMs) / 1000 + 5) * SLOWNESS;
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
