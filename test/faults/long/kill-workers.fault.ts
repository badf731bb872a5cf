import { test } from 'vitest';
import { killWorkers } from '../scenarios/kill-workers.ts';
import { SEED } from '../support/seed.ts';

// 0 doubles in 300 kills bound the chance of one per kill below 1 % (95 %).
test.each([
  { homes: 'one', kills: 300, rows: 60_000 },
  { homes: 'each', kills: 100, rows: 20_000 },
] as const)(
  `one of two workers killed $kills times during $rows creates, homes: $homes (seed ${SEED})`,
  async (options) => {
    await killWorkers({ ...options, seed: SEED, latencyMs: 300, requestsMax: 40 });
  },
);
