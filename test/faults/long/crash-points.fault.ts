import { expect, test } from 'vitest';
import { CRASH_POINTS, type CrashPoint, crashAt } from '../scenarios/crash-points.ts';
import { allOf } from '../support/all-of.ts';
import { shareOf } from '../support/seed.ts';

const TIMES = shareOf(20);
const POINTS = Object.keys(CRASH_POINTS).filter((name): name is CrashPoint => name in CRASH_POINTS);

test(`a process dies ${TIMES} times at each of ${POINTS.length} points`, async () => {
  const longest = new Map<CrashPoint, number>();
  for (let times = 0; times < TIMES; times += 1) {
    for (const { point, seconds } of await allOf(POINTS, (point) => crashAt(point))) {
      longest.set(point, Math.max(seconds, longest.get(point) ?? 0));
    }
  }
  process.stderr.write(
    `crash-points ${TIMES} times, longest ${JSON.stringify(Object.fromEntries(longest))}\n`,
  );
  expect(longest.size).toBe(POINTS.length);
});
