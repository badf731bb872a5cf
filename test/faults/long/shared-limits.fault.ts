import { test } from 'vitest';
import { sharedRate } from '../scenarios/shared-limits.ts';
import { SEED } from '../support/seed.ts';

test.each([
  { faults: [], isAlone: true },
  // Rows that wait together do not make up for it afterwards.
  { faults: ['429=every:150;retry-after=2'], isAlone: false },
])(
  `50 requests per second over a run and three workers, for a minute; $faults (seed ${SEED})`,
  async (options) => {
    await sharedRate({
      ...options,
      ratePerSecond: 50,
      seconds: 60,
      windowSeconds: 10,
      workers: 3,
      seed: SEED,
    });
  },
);

test(`250 requests per second over a run and three workers of which one is killed every five seconds (seed ${SEED})`, async () => {
  await sharedRate({
    ratePerSecond: 250,
    seconds: 20,
    windowSeconds: 5,
    workers: 3,
    latency: '150ms±50ms',
    killEverySeconds: 5,
    isAlone: true,
    seed: SEED,
  });
});
