import { expect, test } from 'vitest';
import { controlAtRandom, signalUnderLoad } from './scenarios/control.ts';
import { SEED } from './support/seed.ts';

test(`runs are paused, resumed and cancelled at any moment, and ended by a signal under load: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const [report] = await Promise.all([
    controlAtRandom({ rounds: 2, rows: 1200, seed: SEED }),
    signalUnderLoad({ signal: 'SIGTERM', rows: 400, latencyMs: 400, seed: SEED }),
  ]);
  expect(report.cancels).toBeGreaterThan(0);
}, 240_000);
