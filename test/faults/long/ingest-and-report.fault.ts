import { expect, test } from 'vitest';
import { killIngest } from '../scenarios/kill-ingest.ts';
import { killReport } from '../scenarios/kill-report.ts';
import { SEED, shareOf } from '../support/seed.ts';

const KILLS = shareOf(100);
const EACH = Math.ceil(KILLS / 2);

test(`the process that reads the file killed ${EACH} times alone and as often beside a worker (seed ${SEED})`, async () => {
  const reports = await Promise.all([
    killIngest({ kills: EACH, seed: SEED, workers: 0 }),
    killIngest({ kills: EACH, seed: SEED + 1, workers: 1 }),
  ]);
  expect(reports.map(({ kills }) => kills)).toEqual([EACH, EACH]);
});

test(`the writer of a report killed ${KILLS} times (seed ${SEED})`, async () => {
  const { incomplete } = await killReport({ rows: 6000, kills: KILLS, seed: SEED });
  expect(incomplete, 'kills between two files of a report').toBeGreaterThan(0);
});
