import { test } from 'vitest';
import { serviceFaults } from '../scenarios/service-faults.ts';
import { SEED } from '../support/seed.ts';

test.each([
  { operation: 'subclient.create', concurrency: 200 },
  { operation: 'counterparty.draft', concurrency: 200 },
  { operation: 'subclient.update', concurrency: 200 },
  { operation: 'subclient.create', concurrency: 50 },
] as const)(
  `every fault of a service at once, 10,000 of $operation, $concurrency at a time (seed ${SEED})`,
  async (options) => {
    await serviceFaults({ ...options, rows: 10_000, seed: SEED });
  },
);
