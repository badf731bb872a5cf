import { test } from 'vitest';
import { storm } from '../scenarios/storm.ts';
import { SEED } from '../support/seed.ts';

// Few rows: with so many refusals the limit is next to one at a time, and each refusal holds everybody for seconds.
test(`half of all answers say 429 with 1 to 5 s, 150 rows (seed ${SEED})`, async () => {
  await storm({ rows: 150, concurrency: 40, retryAfterSeconds: [1, 2, 3, 4, 5], seed: SEED });
});
