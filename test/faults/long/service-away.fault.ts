import { test } from 'vitest';
import { serviceAway } from '../scenarios/service-away.ts';
import { SEED } from '../support/seed.ts';

test.each([
  { mode: 'refused', workers: 1, latencyMs: 1000 },
  { mode: 'reset', workers: 1, latencyMs: 1000 },
  { mode: 'reset', workers: 1, latencyMs: 20 },
  { mode: 'unavailable', workers: 3, latencyMs: 200 },
] as const)(
  `the service is away for 120 s, $mode, $workers workers beside the run, $latencyMs ms (seed ${SEED})`,
  async (options) => {
    await serviceAway({ ...options, downSeconds: 120, rows: 5000, seed: SEED });
  },
);
