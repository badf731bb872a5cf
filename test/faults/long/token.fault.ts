import { test } from 'vitest';
import { permissionGoes, tokenExpires } from '../scenarios/token.ts';
import { SEED } from '../support/seed.ts';

const times = (count: number) => Array.from({ length: count }, (_, i) => ({ seed: SEED + i }));

test.each(times(10))(
  'the token expires in the middle and a new one is there (seed $seed)',
  async ({ seed }) => {
    await tokenExpires({ kind: 'renewed', rows: 3000, workers: 2, seed });
  },
);

test.each(times(10))('the token expires in the middle and none is there (seed $seed)', async ({ seed }) => {
  await tokenExpires({ kind: 'missing', rows: 3000, workers: 2, seed });
});

test.each(times(10))('the permission is taken away in the middle (seed $seed)', async ({ seed }) => {
  await permissionGoes({ rows: 3000, workers: 2, seed });
});
