import { expect, test } from 'vitest';
import { embeddedAway, redisAwayBusy } from './scenarios/redis-away.ts';
import { SEED } from './support/seed.ts';

/** Half as many again as a process has in hand: the other one has its share, however late it comes. */
const ROWS = 1200;

/** Without it for good: shipped-times.test.ts; killed, and no part of the program: torn-log.test.ts. */
test(`Redis is killed, and the program starts it again, or is a black hole: work goes on (seed ${SEED})`, async () => {
  const common = { rows: ROWS, seed: SEED, latencyMs: 100 };
  const reports = await Promise.all([
    redisAwayBusy({ ...common, absence: 'held', seconds: 3 }),
    embeddedAway({ ...common, absence: 'killed', seconds: 0 }),
  ]);
  expect(reports.map(({ made }) => made)).toEqual([ROWS, ROWS]);
}, 240_000);
