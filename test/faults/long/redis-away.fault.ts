import { test } from 'vitest';
import {
  type Absence,
  embeddedAway,
  endedWithoutRedis,
  redisAwayBusy,
  redisAwayIdle,
} from '../scenarios/redis-away.ts';
import { SEED } from '../support/seed.ts';

const ABSENCES: readonly Absence[] = ['killed', 'frozen', 'held', 'refused'];
const MATRIX = ABSENCES.flatMap((absence) => [2, 15, 120].map((seconds) => ({ absence, seconds })));
const COMMON = { rows: 3000, seed: SEED, latencyMs: 100 };

test.each(MATRIX)(`Redis $absence for $seconds s under busy workers (seed ${SEED})`, async (away) => {
  await redisAwayBusy({ ...COMMON, ...away });
});

test.each(MATRIX)(`Redis $absence for $seconds s over an idle worker (seed ${SEED})`, async (away) => {
  await redisAwayIdle({ ...COMMON, ...away });
});

test.each([
  { absence: 'killed', seconds: 0 },
  { absence: 'frozen', seconds: 2 },
  { absence: 'frozen', seconds: 15 },
  { absence: 'frozen', seconds: 120 },
] as const)(`the embedded Redis $absence for $seconds s (seed ${SEED})`, async (away) => {
  await embeddedAway({ ...COMMON, ...away });
});

test.each(ABSENCES)(`told to end while Redis is %s (seed ${SEED})`, async (absence) => {
  await endedWithoutRedis({ ...COMMON, absence });
});
