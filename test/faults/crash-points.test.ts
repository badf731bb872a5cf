import { expect, test } from 'vitest';
import { type CrashPoint, crashAt } from './scenarios/crash-points.ts';
import { allOf } from './support/all-of.ts';

/** One for each window between two records; the long part has all points, and shipped-times.test.ts has `sending`. */
const POINTS: readonly CrashPoint[] = [
  'claimed',
  'added',
  'intending',
  'granted',
  'journaled',
  'socket-written',
  'answered',
  'settling',
  'settled',
  'closing',
  'reported',
];

// In one test, since each waits some ten seconds for the dead process' chunk to be taken over.
test('a process that dies at any point of a row: the row is created once, or in doubt, exactly as that point says', async () => {
  const reports = await allOf(POINTS, (point) => crashAt(point));
  expect(reports.map(({ point }) => point)).toEqual(POINTS);
}, 300_000);
