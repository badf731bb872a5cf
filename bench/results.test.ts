import { describe, expect, test } from 'vitest';
import { FIGURES, MEASUREMENTS } from './figures.ts';
import { judge, resultsSchema } from './results.ts';
import { ratioSamples } from './samples.ts';
import { someResults } from './some-results.ts';

describe('the figures', () => {
  test('have names of their own and targets to reach', () => {
    expect(new Set(FIGURES.map(({ id }) => id)).size).toBe(FIGURES.length);
    expect(FIGURES.filter(({ target }) => !(target > 0))).toEqual([]);
  });

  test('come from every measurement, and from no other', () => {
    expect(new Set(FIGURES.map(({ measurement }) => measurement))).toEqual(new Set(MEASUREMENTS));
  });
});

describe('a figure', () => {
  const samples = (figure: 'bare' | 'start', values: readonly number[]) => ({ figure, values, details: {} });

  test.each([
    ['bare', [0.8, 0.8, 0.1], true],
    ['bare', [0.79, 0.79, 2], false],
    ['start', [1, 1, 9], true],
    ['start', [1.01, 1.01, 0.2], false],
  ] as const)('%s of %j is met: %s', (figure, values, met) => {
    expect(judge(samples(figure, values)).met).toBe(met);
  });

  test('has the median of its rounds, not of what they were computed from', () => {
    const rate = (rowsPerSecond: number) => ({ rowsPerSecond });
    const pairs = [
      { ours: rate(8000), theirs: rate(10_000) },
      { ours: rate(900), theirs: rate(1000) },
      { ours: rate(70), theirs: rate(100) },
    ];
    expect(judge(ratioSamples('bare', pairs))).toEqual({
      id: 'bare',
      target: 0.8,
      median: 0.8,
      low: 0.7,
      high: 0.9,
      met: true,
      values: [0.8, 0.9, 0.7],
      details: { rowsPerSecond: [8000, 900, 70], peerRowsPerSecond: [10_000, 1000, 100] },
    });
  });

  test('says beside it what the program counted itself', () => {
    const pairs = [{ ours: { rowsPerSecond: 8, ownRowsPerSecond: 9 }, theirs: { rowsPerSecond: 10 } }];
    expect(ratioSamples('bare', pairs).details).toMatchObject({ summaryRowsPerSecond: [9] });
  });
});

test('results are read back as they were written', () => {
  const results = someResults();
  expect(resultsSchema.parse(JSON.parse(JSON.stringify(results)))).toEqual(results);
});
