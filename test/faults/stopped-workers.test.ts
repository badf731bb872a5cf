import { expect, test } from 'vitest';
import { type Stop, stoppedWorkers } from './scenarios/stopped-workers.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';

const STOPS: readonly Stop[] = ['blocked', 'frozen'];

test(`a worker that stands still for longer than its locks live, blocked or frozen, loses its chunks and sends none of their rows (seed ${SEED})`, async () => {
  const reports = await allOf(STOPS, (stop) =>
    stoppedWorkers({ stops: [stop], seed: SEED + STOPS.indexOf(stop) }),
  );
  expect(reports).toHaveLength(STOPS.length);
}, 300_000);
