/**
 * How many times as long as on a machine of its own something may take. Tests of `npm test` run beside each other, on
 * machines of any speed; the long part has its machine alone, and says so (vitest.faults.config.ts).
 */
export const SLOWNESS = process.env.ONBOARD_TESTS_ALONE === '1' ? 1 : 3;
