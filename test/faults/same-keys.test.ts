import { expect, test } from 'vitest';
import { sameKeys } from './scenarios/same-keys.ts';
import { SEED } from './support/seed.ts';

test(`two files with the same keys at the same time, their processes killed in turns: each key is made once (seed ${SEED})`, async () => {
  const report = await sameKeys({ rows: 200, kills: 2, requestsMax: 20, latencyMs: 250, seed: SEED });
  expect(report.keys.every((count) => count > 0)).toBe(true);
}, 120_000);
