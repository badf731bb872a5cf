import { test } from 'vitest';
import { storm } from '../scenarios/storm.ts';
import { SEED } from '../support/seed.ts';

test(`a twentieth of all answers says 429 with 2 s, 2,000 rows (seed ${SEED})`, async () => {
  await storm({ rows: 2_000, concurrency: 40, every: 20, retryAfterSeconds: 2, seed: SEED });
});
