import { expect, test } from 'vitest';
import { redisPast } from './scenarios/redis-past.ts';
import { SEED } from './support/seed.ts';

/** With a home for each, and a journal that is lost: shipped-times.test.ts. */
test(`Redis comes back without its last second, or empty, and a worker is killed with it: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const report = await redisPast({
    rows: 2400,
    seed: SEED,
    homes: 'one',
    latencyMs: 200,
    blows: [
      { kind: 'cut', death: 'nobody' },
      { kind: 'cut', death: 'worker' },
      { kind: 'flush', death: 'nobody' },
    ],
  });
  expect(report.blows).toBe(3);
}, 240_000);
