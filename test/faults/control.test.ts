import { expect, test } from 'vitest';
import { controlAtRandom } from './scenarios/control.ts';
import { SEED } from './support/seed.ts';

test(`runs are paused, resumed and cancelled at any moment: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const report = await controlAtRandom({ rounds: 2, rows: 800, seed: SEED });
  expect(report.cancels).toBeGreaterThan(0);
}, 240_000);
