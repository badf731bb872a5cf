import { expect, test } from 'vitest';
import { serviceAway } from './scenarios/service-away.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';

test(`the service is away for 6 s, refused, reset, unavailable: rows wait, one tries at a time, and all are sent when it is back (seed ${SEED})`, async () => {
  const reports = await allOf(['refused', 'reset', 'unavailable'] as const, (mode) =>
    serviceAway({ mode, downSeconds: 6, rows: 600, workers: 1, latencyMs: 300, seed: SEED }),
  );
  expect(reports).toHaveLength(3);
}, 240_000);
