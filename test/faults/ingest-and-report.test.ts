import { expect, test } from 'vitest';
import { killIngest } from './scenarios/kill-ingest.ts';
import { killReport } from './scenarios/kill-report.ts';
import { SEED } from './support/seed.ts';

// In one test, since the first two wait for the dead process' chunks to be taken over.
test(`the reader of the file killed twice, and the writer of the report three times: nothing twice, nothing lost, every file whole (seed ${SEED})`, async () => {
  const [alone, besideWorker, report] = await Promise.all([
    killIngest({ kills: 1, seed: SEED, workers: 0 }),
    killIngest({ kills: 1, seed: SEED + 1, workers: 1 }),
    killReport({ rows: 300, kills: 3, seed: SEED + 2 }),
  ]);
  expect([alone.kills, besideWorker.kills]).toEqual([1, 1]);
  expect(report.kills).toEqual({ moment: 1, rename: 1, 'end-of-run': 1 });
}, 300_000);
