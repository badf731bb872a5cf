import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Costs, type Load, project } from './project.ts';

const COSTS: Costs = {
  row: {
    commands: 10,
    scripts: 0.5,
    redisMicros: 100,
    busyRedisMicros: 50,
    networkBytes: 1_000,
    workerMicros: 500,
    readerMicros: 20,
  },
  idleWorker: { commands: 10, redisMicros: 300, networkBytes: 1_000 },
  beats: [
    { members: 10, commands: 20, redisMicros: 100 },
    { members: 100, commands: 110, redisMicros: 500 },
    { members: 1_000, commands: 1_010, redisMicros: 2_300 },
  ],
};

function load(over: Partial<Load>): Load {
  return { workers: 1, runs: 1, concurrency: 50, latencyMs: 50, ...over };
}

describe('a load comes to', () => {
  test.each([
    ['one worker sends what it has in flight', {}, 1_000, 'in-flight'],
    ['a worker whose core is full sends no more than that', { latencyMs: 10 }, 2_000, 'worker'],
    ['twenty workers fill Redis: 50 µs a row, of what signs of life leave', { workers: 20 }, 19_862, 'redis'],
    [
      'a service that takes long has one run’s chunks in hand before all else',
      { workers: 100, latencyMs: 2_500 },
      1_280,
      'open-chunks',
    ],
    [
      'a second run gives the others something to do',
      { workers: 100, latencyMs: 2_500, runs: 2 },
      2_000,
      'in-flight',
    ],
    ['a thousand workers’ signs of life leave nothing for rows', { workers: 1_000 }, 0, 'redis'],
  ] as const)('%s', (_, over, rows, first) => {
    const at = project(COSTS, load(over));
    expect([Math.round(at.rows), at.first]).toEqual([rows, first]);
  });

  test('the file is read by one process, however many work', () => {
    const slowReader = { ...COSTS, row: { ...COSTS.row, readerMicros: 500 } };
    const at = project(slowReader, load({ workers: 10 }));
    expect([at.rows, at.first]).toEqual([2_000, 'reader']);
  });

  test('what its rows and its workers cost, added', () => {
    const at = project(COSTS, load({ workers: 2 }));
    expect(at).toEqual({
      wanted: 2_000,
      rows: 2_000,
      commands: 20_000 + 2 * 10,
      networkBytes: 2_000_000 + 2_000,
      redisShare: (200_000 + 2 * 300) / 1_000_000,
      scripts: 1_000,
      first: 'in-flight',
    });
  });

  test('more than Redis has, where nothing but the signs of life would fill it', () => {
    expect(project(COSTS, load({ workers: 1_000 })).redisShare).toBeCloseTo(2.5);
  });
});

test.each([
  [5, 0],
  [10, 0],
  [55, 45],
  [100, 90],
  [550, 540],
  [2_000, 1_990],
])('among %d workers a sign of life looks at %d more than among ten', (workers, more) => {
  const { rows, commands } = project(COSTS, load({ workers, latencyMs: 1_000_000 }));
  expect(commands - rows * 10).toBeCloseTo(workers * (10 + more));
});

const counts = fc.integer({ min: 1, max: 2_000 });
const loads = fc.record({ workers: counts, runs: counts, concurrency: counts, latencyMs: counts });

test('nothing sends more than it wants to, and with one more run it sends no less', () => {
  fc.assert(
    fc.property(loads, (some) => {
      const { rows, wanted } = project(COSTS, some);
      expect(rows).toBeGreaterThanOrEqual(0);
      expect(rows).toBeLessThanOrEqual(wanted);
      expect(project(COSTS, { ...some, runs: some.runs + 1 }).rows).toBeGreaterThanOrEqual(rows);
    }),
  );
});
