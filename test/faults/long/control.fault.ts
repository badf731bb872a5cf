import { test } from 'vitest';
import { controlAtRandom, signalUnderLoad } from '../scenarios/control.ts';
import { SEED } from '../support/seed.ts';

test(`50 runs are paused, resumed and cancelled at any moment (seed ${SEED})`, async () => {
  await controlAtRandom({ rounds: 50, rows: 2000, seed: SEED });
});

test.each([
  { signal: 'SIGTERM', seed: SEED },
  { signal: 'SIGTERM', seed: SEED + 1 },
  { signal: 'SIGINT', seed: SEED + 2 },
  { signal: 'SIGHUP', seed: SEED + 3 },
] as const)('$signal under load, answers within 10 s (seed $seed)', async (options) => {
  await signalUnderLoad({ ...options, rows: 600, latencyMs: 5000 });
});
