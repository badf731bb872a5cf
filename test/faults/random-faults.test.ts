import { expect, test } from 'vitest';
import { randomFaults } from './scenarios/random-faults.ts';
import { SEED } from './support/seed.ts';

test(`processes, Redis and clocks fail at any moment while rows are created: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const report = await randomFaults({
    seed: SEED,
    rows: 500,
    minutes: 0,
    latencyMs: 100,
    faults: 8,
    gapMs: [100, 700],
    scale: 0.05,
    offsetsSeconds: [-2, 0, 2],
  });
  expect(report.faults).toBeGreaterThan(0);
}, 240_000);
