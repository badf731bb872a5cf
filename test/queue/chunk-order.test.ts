import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FIRST_PRIORITY,
  isRenumberingDue,
  nextPriority,
  OPEN_CHUNKS_MAX,
  priorityAgain,
  priorityBefore,
  renumbered,
} from '../../src/queue/chunk-order.ts';
import { type Load, simulateQueue } from './simulate-queue.ts';

/** BullMQ refuses a priority above it. */
const PRIORITY_LIMIT = 2 ** 21 - 1;

/** Between 0 and 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const several = fc.record({
  weights: fc.array(fc.constantFrom(1, 4, 16), { minLength: 2, maxLength: 6 }),
  places: fc.integer({ min: 1, max: 16 }),
  seed: fc.nat(),
});
const endless = (weights: readonly number[]): Load[] => weights.map((weight) => ({ weight }));

describe('runs that always have chunks waiting', () => {
  test('get on in proportion to their weights', () => {
    fc.assert(
      fc.property(several, ({ weights, places, seed }) => {
        const takes = 2_000;
        const taken = simulateQueue(endless(weights), { takes, places, random: seeded(seed) });
        const sum = weights.reduce((a, b) => a + b, 0);
        for (const [run, own] of weights.entries()) {
          const share = taken.filter((one) => one.run === run).length;
          // A few chunks more or less: the places, and where the last round was cut off.
          expect(Math.abs(share - (takes * own) / sum)).toBeLessThanOrEqual(0.02 * takes + places);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('still do when the turns are counted afresh meanwhile', () => {
    const taken = simulateQueue(endless([1, 4]), {
      takes: 20_000,
      places: 8,
      random: seeded(1),
      begin: 1_020_000,
    });
    const priorities = taken.map(({ priority }) => priority);
    expect(Math.max(...priorities)).toBeLessThanOrEqual(PRIORITY_LIMIT);
    expect(Math.min(...priorities.slice(-5_000))).toBeLessThan(Math.max(...priorities) / 2);
    for (const from of [2_000, 7_000, 12_000, 15_000]) {
      const part = taken.slice(from, from + 5_000);
      expect(part.filter(({ run }) => run === 1).length / part.length).toBeCloseTo(0.8, 2);
    }
  });

  test('are none of them kept waiting for longer than their weight says', () => {
    fc.assert(
      fc.property(several, ({ weights, places, seed }) => {
        const taken = simulateQueue(endless(weights), { takes: 2_000, places, random: seeded(seed) });
        for (const { run, waited } of taken) {
          const own = weights[run] ?? 1;
          const most = weights.reduce((sum, other) => sum + ((OPEN_CHUNKS_MAX + 1) * other) / own + 2, 0);
          expect(waited).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a new run', () => {
  test.each([1, 4, 16])('of weight %i is among the next when it comes, whatever else is queued', (weight) => {
    const big = endless([16, 4, 1]);
    const loads = [...big, { weight, from: 700, chunks: 1 }];
    const taken = simulateQueue(loads, { takes: 1_000, places: 8, random: seeded(2) });
    expect(taken.find(({ run }) => run === big.length)?.waited).toBeLessThanOrEqual(big.length);
  });

  test('of a few chunks is through with them while a big one of the same weight gets as many', () => {
    const loads = [{ weight: 4 }, { weight: 4, from: 500, chunks: 5 }];
    const taken = simulateQueue(loads, { takes: 700, places: 8, random: seeded(3) });
    const small = taken.filter(({ run }) => run === 1);
    expect(small).toHaveLength(5);
    expect((small.at(-1)?.at ?? 0) - 500).toBeLessThanOrEqual(12);
  });

  test('does not keep an old one of the lowest weight from going on, however many come one after the other', () => {
    const small = Array.from({ length: 400 }, (_, i) => ({ weight: 16, from: 100 + 5 * i, chunks: 4 }));
    const taken = simulateQueue([{ weight: 1 }, ...small], { takes: 2_000, places: 8, random: seeded(4) });
    const old = taken.filter(({ run }) => run === 0).map(({ at }) => at);
    expect(taken).toHaveLength(2_000);
    expect(Math.max(...old.map((at, i) => at - (old[i - 1] ?? 0)))).toBeLessThanOrEqual(10);
  });
});

describe('a run that had nothing to send for a while', () => {
  test('has not collected turns by it', () => {
    expect(nextPriority({ virtualTime: 10_000, last: 500, open: 0, weight: 4 })).toBe(10_000);
  });

  test('and whose last priority is from before a renumbering begins among the others', () => {
    const backlog = { virtualTime: FIRST_PRIORITY, last: 1_048_576, open: 2, weight: 4 };
    expect(nextPriority(backlog)).toBe(FIRST_PRIORITY + 3 * 4);
  });
});

test('a chunk behind one at the end of the numbers has a priority that BullMQ takes', () => {
  const backlog = { virtualTime: PRIORITY_LIMIT, last: PRIORITY_LIMIT, open: 3, weight: 1 };
  expect(nextPriority(backlog)).toBe(PRIORITY_LIMIT);
});

describe('chunks that come back', () => {
  test('are spread over as many turns as a run has open chunks, none before the next', () => {
    const open = Array.from({ length: OPEN_CHUNKS_MAX }, (_, i) =>
      priorityAgain(1_000, { chunk: 37 + i, weight: 4 }),
    );
    expect(new Set(open).size).toBe(OPEN_CHUNKS_MAX);
    expect([Math.min(...open), Math.max(...open)]).toEqual([1_004, 1_256]);
  });

  test('have a priority that BullMQ takes, however often they come', () => {
    let virtualTime = FIRST_PRIORITY;
    for (let i = 0; i < 3_000; i += 1) virtualTime = priorityAgain(virtualTime, { chunk: 63, weight: 1 });
    expect(virtualTime).toBe(PRIORITY_LIMIT);
  });
});

describe('waiting chunks that are renumbered', () => {
  test.each([
    ['where the numbers run out, keep their order and their distances', [1_048_000, 1_048_580], [2, 582]],
    ['as little as one that got lost far behind, which comes back', [40, 90, 900_000], [40, 90, 1_080]],
    ['also one at the end of the numbers', [40, 2_000_000], [2, 1_042]],
    ['that another process has renumbered meanwhile stay', [1_048_000, 7, 1_048_580], [2, 7, 582], 1_048_000],
  ])('%s', (_, priorities, after, first = Math.min(...priorities)) => {
    const reach = { first, last: Math.max(...priorities) };
    expect(isRenumberingDue(reach)).toBe(true);
    expect(priorities.map((priority) => renumbered(priority, reach))).toEqual(after);
  });

  test('need not be while they stand as runs with all their chunks open do', () => {
    const last = nextPriority({ virtualTime: 900, last: 1_000_000, open: OPEN_CHUNKS_MAX - 1, weight: 1 });
    const again = priorityAgain(last, { chunk: OPEN_CHUNKS_MAX - 1, weight: 1 });
    expect([last, again].map((at) => isRenumberingDue({ first: 900, last: at }))).toEqual([false, false]);
  });
});

test('what is brought forward goes before all, down to the first number that BullMQ takes', () => {
  expect([900, FIRST_PRIORITY, FIRST_PRIORITY - 1].map(priorityBefore)).toEqual([899, 1, 1]);
});
