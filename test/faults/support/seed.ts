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
