import { expect, test } from 'vitest';
import { redisPast } from './scenarios/redis-past.ts';
import { SEED } from './support/seed.ts';

test(`Redis comes back without its last second, or empty, and workers are killed with it: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const [report] = await Promise.all([
    redisPast({
      rows: 2400,
      seed: SEED,
      homes: 'one',
      latencyMs: 200,
      blows: [
        { kind: 'cut', death: 'nobody' },
        { kind: 'cut', death: 'worker' },
        { kind: 'flush', death: 'nobody' },
      ],
    }),
    redisPast({
      rows: 2400,
      seed: SEED + 1,
      homes: 'each',
      latencyMs: 200,
      blows: [{ kind: 'cut', death: 'worker-and-journal', newcomer: true }],
    }),
  ]);
  expect(report.blows).toBe(3);
}, 120_000);
