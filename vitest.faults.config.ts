import { defineConfig } from 'vitest/config';

/** The long part of the fault tests (`npm run test:faults`); `npm test` has the smoke part. */
export default defineConfig({
  test: {
    include: ['test/faults/long/**/*.fault.ts'],
    globalSetup: ['test/support/flow-redis.ts'],
    testTimeout: 7_200_000,
    hookTimeout: 60_000,
    // Times are measured: nothing else runs beside them.
    env: { ONBOARD_TESTS_ALONE: '1' },
    maxWorkers: 1,
    fileParallelism: false,
  },
});
