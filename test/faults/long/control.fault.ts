import { test } from 'vitest';
import { controlAtRandom } from '../scenarios/control.ts';
import { SEED } from '../support/seed.ts';

test(`50 runs are paused, resumed and cancelled at any moment (seed ${SEED})`, async () => {
  await controlAtRandom({ rounds: 50, rows: 2000, seed: SEED });
});
