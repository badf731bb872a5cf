import { expect, test } from 'vitest';
import { killReport } from './scenarios/kill-report.ts';
import { SEED } from './support/seed.ts';

test(`the writer of a report killed three times: nothing twice, nothing lost, every file whole (seed ${SEED})`, async () => {
  const { kills } = await killReport({ rows: 300, kills: 3, seed: SEED });
  expect(kills).toEqual({ moment: 1, rename: 1, 'end-of-run': 1 });
}, 300_000);
