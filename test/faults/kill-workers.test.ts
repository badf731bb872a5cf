import { expect, test } from 'vitest';
import { killWorkers } from './scenarios/kill-workers.ts';
import { SEED } from './support/seed.ts';

test(`one of two workers killed 3 times while it creates, and once with a home for each and a Redis between them: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const common = { seed: SEED, latencyMs: 120 };
  const reports = await Promise.all([
    killWorkers({ ...common, rows: 1_050, kills: 3, homes: 'one', requestsMax: 60 }),
    killWorkers({ ...common, rows: 400, kills: 1, homes: 'each', requestsMax: 60 }),
  ]);
  expect(reports.map(({ kills }) => kills)).toEqual([3, 1]);
}, 240_000);
