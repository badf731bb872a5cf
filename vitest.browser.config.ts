import { defineConfig } from 'vitest/config';
import { luaScripts } from './scripts/lua/compose.mjs';

/** The page in the machine's own Chromium (`npm run test:browser`); `npm test` has what needs no browser. */
export default defineConfig({
  plugins: [luaScripts()],
  test: {
    include: ['test/browser/**/*.browser.ts'],
    globalSetup: ['test/support/flow-redis.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
});
