import { defineConfig } from 'vitest/config';
import { luaScripts } from './scripts/lua/compose.mjs';
import { SlowestFirst } from './test/support/slowest-first.ts';

/** It mocks a module of Node for its whole file, and must neither see the others' modules nor leave them its own. */
const WITH_A_MODULE_MOCK = 'test/engine/recovery/journal/unsynced-folder.test.ts';

/** Of every project. Not by `extends`: that would keep `--maxWorkers` of the command line from them. */
const COMMON = {
  // A third of it would do on a machine that is idle; some take long on one that is slow or busy with something else.
  testTimeout: 120_000,
  hookTimeout: 60_000,
  setupFiles: ['test/support/left-behind.ts'],
  // Files of one worker share the modules that they import: loading them anew took longer than most files' tests.
  // Whatever a file opens or changes it closes or puts back itself.
  isolate: false,
};

export default defineConfig({
  test: {
    // More than the two cores that are the least this runs on: the longest tests wait for programs more than they compute.
    maxWorkers: 6,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        plugins: [luaScripts()],
        test: {
          ...COMMON,
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [WITH_A_MODULE_MOCK],
          globalSetup: ['test/support/flow-redis.ts'],
        },
      },
      {
        plugins: [luaScripts()],
        test: { ...COMMON, name: 'alone', include: [WITH_A_MODULE_MOCK], isolate: true },
      },
    ],
  },
});
