import { expect, test } from 'vitest';
import { tokenExpires } from './scenarios/token.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';

test(`the token expires in the middle: with a new one the run goes on, without one it pauses and is resumed (seed ${SEED})`, async () => {
  const reports = await allOf(['renewed', 'missing'] as const, (kind) =>
    tokenExpires({ kind, rows: 600, workers: 1, seed: SEED }),
  );
  expect(reports).toHaveLength(2);
}, 120_000);
