import { test } from 'vitest';
import { storm } from '../scenarios/storm.ts';
import { SEED } from '../support/seed.ts';

test(`half of all answers say 429 with 1 to 5 s, 1,000 rows (seed ${SEED})`, async () => {
  await storm({ rows: 1000, concurrency: 40, retryAfterSeconds: [1, 2, 3, 4, 5], seed: SEED });
});
