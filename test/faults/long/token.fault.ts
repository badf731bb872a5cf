import { test } from 'vitest';
import { takenAway } from '../scenarios/token.ts';
import { SEED } from '../support/seed.ts';

const TIMES = Array.from({ length: 10 }, (_, i) => SEED + i);

test.each(TIMES)('the token expires in the middle, and a new one comes later (seed %i)', async (seed) => {
  await takenAway({ what: 'token', rows: 3000, workers: 2, seed });
});

test.each(TIMES)('the permission is taken away in the middle (seed %i)', async (seed) => {
  await takenAway({ what: 'permission', rows: 3000, workers: 2, seed });
});
