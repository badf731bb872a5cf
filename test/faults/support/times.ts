import { SHIPPED_TIMES, type Times } from '../../../src/lib/times.ts';

/** The long part has its machine alone, and says so (vitest.faults.config.ts); tests of `npm test` run beside each other, on machines of any speed. */
const ALONE = process.env.ONBOARD_TESTS_ALONE === '1';

/** How many times as long as on a machine of its own something may take. */
export const SLOWNESS = ALONE ? 1 : 3;

/** What processes wait for each other: the shipped times in the long part and in `shipped-times.test.ts`, shorter ones in `npm test`. */
export const TIMES: Times = ALONE ? SHIPPED_TIMES : { lockMs: 4_000, graceMs: 4_000, deadlineMs: 10_000 };

/** How long it takes at most until a killed worker's chunk is taken over (FACTS.md, BullMQ), on a machine that is busy. */
export function takeOverSeconds({ lockMs }: Times): number {
  return ((1.5 * lockMs) / 1000 + 5) * SLOWNESS;
}
