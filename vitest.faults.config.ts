import { defineConfig } from 'vitest/config';
import { luaScripts } from './scripts/lua/compose.mjs';

/** The long part of the fault tests (`npm run test:faults`); in `npm test` the same files are its smoke part. */
export default defineConfig({
  plugins: [luaScripts()],
  test: {
    include: ['test/faults/*.test.ts', 'test/flow/year.test.ts'],
    globalSetup: ['test/support/flow-redis.ts'],
    testTimeout: 7_200_000,
    hookTimeout: 60_000,
    // Says that they are the long part. Times are measured: nothing else runs beside them.
    env: { ONBOARD_TESTS_ALONE: '1' },
    maxWorkers: 1,
    fileParallelism: false,
  },
});
