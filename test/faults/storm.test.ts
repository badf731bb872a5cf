import { expect, test } from 'vitest';
import { storm } from './scenarios/storm.ts';
import { SEED } from './support/seed.ts';

test(`answers of two processes' requests say 429: neither sends before the time, and every row is created (seed ${SEED})`, async () => {
  // More rows than one has in hand, so that both send.
  const report = await storm({
    rows: 1_200,
    concurrency: 10,
    every: 300,
    retryAfterSeconds: 3,
    seed: SEED,
  });
  expect(report.senders).toBe(2);
  expect(report.ofOthers, 'refusals that another process had to keep').toBeGreaterThan(0);
}, 240_000);
