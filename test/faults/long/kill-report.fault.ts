import { expect, test } from 'vitest';
import { killReport } from '../scenarios/kill-report.ts';
import { SEED, shareOf } from '../support/seed.ts';

const KILLS = shareOf(100);

test(`the writer of a report killed ${KILLS} times (seed ${SEED})`, async () => {
  const { incomplete } = await killReport({ rows: 6000, kills: KILLS, seed: SEED });
  expect(incomplete, 'kills between two files of a report').toBeGreaterThan(0);
});
