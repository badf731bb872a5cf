import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Half of it would do on a machine that is idle; some take long on one that is slow or busy with something else.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Two cores are the least this runs on; each file owns its Redis and its service.
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
  },
});
