import { expect, test } from 'vitest';
import { storm } from './scenarios/storm.ts';
import { SEED } from './support/seed.ts';

test(`half of all answers say 429: nobody sends before the time, and every row is created (seed ${SEED})`, async () => {
  const report = await storm({ rows: 20, concurrency: 10, retryAfterSeconds: [2], seed: SEED });
  expect(report.refusals).toBeGreaterThan(0);
}, 120_000);
