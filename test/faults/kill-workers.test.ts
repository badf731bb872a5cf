import { expect, test } from 'vitest';
import { killWorkers } from './scenarios/kill-workers.ts';
import { SEED } from './support/seed.ts';

test(`one of two workers killed 10 times during 5,000 creates, and twice with a home for each and a Redis between them: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const common = { seed: SEED, latencyMs: 120 };
  const reports = await Promise.all([
    killWorkers({ ...common, rows: 5_000, kills: 10, homes: 'one', requestsMax: 150 }),
    killWorkers({ ...common, rows: 1_000, kills: 2, homes: 'each', requestsMax: 60 }),
  ]);
  expect(reports.map(({ kills }) => kills)).toEqual([10, 2]);
}, 240_000);
