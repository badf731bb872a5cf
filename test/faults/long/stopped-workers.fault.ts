import { expect, test } from 'vitest';
import { type Stop, stoppedWorkers } from '../scenarios/stopped-workers.ts';
import { allOf } from '../support/all-of.ts';
import { SEED, shareOf } from '../support/seed.ts';

const STOPS = shareOf(50);
/** They mostly wait. */
const CREWS = Math.min(STOPS, 5);

test(`${STOPS} times a worker stands still for longer than its locks live, blocked or frozen, in ${CREWS} runs at once (seed ${SEED})`, async () => {
  const reports = await allOf(
    Array.from({ length: CREWS }, (_, i) => i),
    (crew) => stoppedWorkers({ stops: stopsOf(crew), seed: SEED + crew }),
  );
  expect(reports.reduce((sum, { stops }) => sum + stops, 0)).toBe(STOPS);
});

/** Every crew's share of the stops; blocked and frozen take turns over all of them. */
function stopsOf(crew: number): Stop[] {
  const all = Array.from({ length: STOPS }, (_, i): Stop => (i % 2 === 0 ? 'blocked' : 'frozen'));
  return all.filter((_, i) => i % CREWS === crew);
}
