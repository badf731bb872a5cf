import { expect, test } from 'vitest';
import { sharedRate } from './scenarios/shared-limits.ts';
import { SEED } from './support/seed.ts';

test(`several processes send no faster together than one may (seed ${SEED})`, async () => {
  const rate = await sharedRate({
    // More rows than one of them may have in hand.
    ratePerSecond: 200,
    seconds: 5,
    windowSeconds: 3,
    workers: 2,
    seed: SEED,
  });
  expect(rate.senders).toBeGreaterThan(1);
}, 240_000);
