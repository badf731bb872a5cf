import { expect, test } from 'vitest';
import { CRASH_POINTS, type CrashPoint, crashAt } from './scenarios/crash-points.ts';
import { allOf } from './support/all-of.ts';

const POINTS = Object.keys(CRASH_POINTS).filter((name): name is CrashPoint => name in CRASH_POINTS);

// In one test, since each waits some ten seconds for the dead process' chunk to be taken over.
test('a process that dies at any point of a row: the row is created once, or in doubt, exactly as that point says', async () => {
  const reports = await allOf(POINTS, (point) => crashAt(point));
  expect(reports.map(({ point }) => point)).toEqual(POINTS);
}, 300_000);
