import { expect, test } from 'vitest';
import { serviceAway } from './scenarios/service-away.ts';
import { sharedRate } from './scenarios/shared-limits.ts';
import { SEED } from './support/seed.ts';

test(`several processes send no faster together than one may, and wait together when the service fails (seed ${SEED})`, async () => {
  // One after the other: the rate is measured.
  const rate = await sharedRate({
    ratePerSecond: 100,
    seconds: 12,
    windowSeconds: 5,
    workers: 3,
    seed: SEED,
  });
  await serviceAway({
    mode: 'unavailable',
    downSeconds: 4,
    rows: 1500,
    workers: 2,
    latencyMs: 150,
    seed: SEED,
  });
  expect(rate.senders).toBeGreaterThan(1);
}, 240_000);
