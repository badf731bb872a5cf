import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { crashAt } from './scenarios/crash-points.ts';
import { endedWithoutRedis } from './scenarios/redis-away.ts';
import { redisPast } from './scenarios/redis-past.ts';
import { SEED } from './support/seed.ts';
import { takeOverSeconds } from './support/times.ts';

test(`processes wait for each other as long as the program says: lock 10 s, grace 15 s, deadline 30 s (seed ${SEED})`, async () => {
  const times = SHIPPED_TIMES;
  const blow = { kind: 'cut', death: 'worker-and-journal', newcomer: true } as const;
  const common = { seed: SEED, latencyMs: 200 };
  const [taken, past, ended] = await Promise.all([
    crashAt('sending', times),
    redisPast({ ...common, rows: 2400, homes: 'each', blows: [blow], times }),
    endedWithoutRedis({ ...common, rows: 300, absence: 'refused' }, times),
  ]);
  expect(taken.seconds).toBeGreaterThan(times.lockMs / 2000);
  expect(taken.seconds).toBeLessThan(takeOverSeconds(times));
  expect(past.backSeconds[blow.death]).toBeGreaterThan((0.9 * times.graceMs) / 1000);
  expect(ended.endSeconds).toBeGreaterThanOrEqual(times.deadlineMs / 1000);
}, 180_000);
