import { expect, test } from 'vitest';
import { lostEnqueues, lostFetches } from './scenarios/lost-replies.ts';
import { SEED } from './support/seed.ts';

test(`twice the reply to an enqueue is lost, and that to a fetch: no chunk twice, every row once (seed ${SEED})`, async () => {
  const reports = await Promise.all([
    lostEnqueues({ enqueues: 2, seed: SEED }),
    lostFetches({ fetch: 'chunk', times: 1 }),
    lostFetches({ fetch: 'marker', times: 1 }),
  ]);
  expect(reports.map(({ lost }) => lost)).toEqual([2, 1, 1]);
}, 300_000);
