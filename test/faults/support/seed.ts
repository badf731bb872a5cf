import { seededRandom } from '../../../src/sandbox/faults.ts';

const SEEDS = 1_000_000;

/** The seed of every random choice in this process: `FAULTS_SEED`, or a new one; belongs in the test's name. */
export const SEED = readSeed(process.env.FAULTS_SEED);

function readSeed(text: string | undefined): number {
  if (text === undefined || text === '') return Math.floor(Math.random() * SEEDS);
  if (!/^\d{1,9}$/.test(text)) throw new Error(`FAULTS_SEED is "${text}": expected a whole number.`);
  return Number(text);
}

/** Choices that are the same for the same seed. */
export type Dice = {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** One of the items, of which there must be one. */
  pick<T>(items: readonly T[]): T;
};

/** Dice of their own: what one user of a seed throws does not change what another gets. */
export function createDice(seed: number): Dice {
  const next = seededRandom(seed);
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}

/** How much of the long tests is run: `FAULTS_SHARE`, a number over 0 and up to 1; all of it by default. */
const SHARE = readShare(process.env.FAULTS_SHARE);

function readShare(text: string | undefined): number {
  if (text === undefined || text === '') return 1;
  const share = Number(text);
  if (!(share > 0 && share <= 1))
    throw new Error(`FAULTS_SHARE is "${text}": expected a number over 0 and up to 1.`);
  return share;
}

/** How often something is done in this run of a long test that does it so often; at least once. */
export function shareOf(times: number): number {
  return Math.max(1, Math.round(times * SHARE));
}
