import { test } from 'vitest';
import { sameKeys } from '../scenarios/same-keys.ts';
import { SEED, shareOf } from '../support/seed.ts';

test(`two files with the same 3,000 keys at the same time, their processes killed 20 times in turns: each key is made once (seed ${SEED})`, async () => {
  const counts = { rows: shareOf(3_000), kills: shareOf(20) };
  await sameKeys({ ...counts, requestsMax: 60, latencyMs: 100, seed: SEED });
});
