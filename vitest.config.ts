import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores are the least this runs on; each file owns its Redis and its service.
    maxWorkers: 2,
  },
});
