import { test } from 'vitest';
import { randomFaults } from '../scenarios/random-faults.ts';
import { SEED, shareOf } from '../support/seed.ts';

/** `FAULTS_MINUTES`; the share of the counts is one of the minutes here. */
const MINUTES = minutesOf(process.env.FAULTS_MINUTES);
/** A round that is under way when they are over goes on to its end, or to where it stands still. */
const LAST_ROUND_MS = 600_000;

test(
  `random faults of processes, Redis, clocks and the service for ${MINUTES} minutes (seed ${SEED})`,
  async () => {
    await randomFaults({
      seed: SEED,
      rows: 4_000,
      minutes: MINUTES,
      latencyMs: 150,
      faults: 40,
      gapMs: [500, 6_000],
      scale: 1,
      offsetsSeconds: [-3600, -60, -5, 0, 5, 60, 3600],
    });
  },
  MINUTES * 60_000 + LAST_ROUND_MS,
);

function minutesOf(text: string | undefined): number {
  if (text === undefined || text === '') return shareOf(60);
  if (!/^\d{1,4}$/.test(text)) throw new Error(`FAULTS_MINUTES is "${text}": expected a whole number.`);
  return Number(text);
}
