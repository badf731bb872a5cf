import { defineConfig } from 'vitest/config';

/** What the benchmark computes and prints (`npm run bench`, which goes on to measure). */
export default defineConfig({
  test: { include: ['bench/**/*.test.ts'], testTimeout: 120_000, isolate: false, reporters: 'dot' },
});
