import { expect, test } from 'vitest';
import { permissionGoes, tokenExpires } from './scenarios/token.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';

test(`the token expires in the middle: with a new one the run goes on, without one it pauses and is resumed (seed ${SEED})`, async () => {
  const reports = await allOf(['renewed', 'missing'] as const, (kind) =>
    tokenExpires({ kind, rows: 600, workers: 1, seed: SEED }),
  );
  expect(reports).toHaveLength(2);
}, 120_000);

test(`the permission is taken away in the middle: the run pauses, what was refused stays denied and a rerun sends it (seed ${SEED})`, async () => {
  await permissionGoes({ rows: 600, workers: 1, seed: SEED });
}, 120_000);
