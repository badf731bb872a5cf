import { expect, test } from 'vitest';
import { killWorkers } from './scenarios/kill-workers.ts';
import { SEED } from './support/seed.ts';

test(`one of two workers killed 6 times while it creates, and twice with a home for each and a Redis between them: nothing twice, nothing lost (seed ${SEED})`, async () => {
  const common = { seed: SEED, latencyMs: 120 };
  const reports = await Promise.all([
    killWorkers({ ...common, rows: 2_000, kills: 6, homes: 'one', requestsMax: 60 }),
    killWorkers({ ...common, rows: 700, kills: 2, homes: 'each', requestsMax: 60 }),
  ]);
  expect(reports.map(({ kills }) => kills)).toEqual([6, 2]);
}, 240_000);
