import { test } from 'vitest';
import { killWorkers } from './scenarios/kill-workers.ts';
import { SEED } from './support/seed.ts';

test(`one of two workers killed 10 times during 5,000 creates: nothing twice, nothing lost (seed ${SEED})`, async () => {
  await killWorkers({
    rows: 5_000,
    kills: 10,
    seed: SEED,
    homes: 'one',
    latencyMs: 120,
    requestsMax: 150,
  });
}, 180_000);

test(`the same with a home for each and a Redis between them (seed ${SEED})`, async () => {
  await killWorkers({ rows: 1000, kills: 2, seed: SEED, homes: 'each', latencyMs: 120, requestsMax: 60 });
}, 120_000);
