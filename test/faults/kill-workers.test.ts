import { expect, test } from 'vitest';
import { killWorkers } from './scenarios/kill-workers.ts';
import { SEED } from './support/seed.ts';

test(`one of two workers killed 4 times while it creates, and twice with a home for each and a Redis between them: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const common = { seed: SEED, latencyMs: 120 };
  const reports = await Promise.all([
    killWorkers({ ...common, rows: 1_400, kills: 4, homes: 'one', requestsMax: 60 }),
    killWorkers({ ...common, rows: 700, kills: 2, homes: 'each', requestsMax: 60 }),
  ]);
  expect(reports.map(({ kills }) => kills)).toEqual([4, 2]);
}, 240_000);
