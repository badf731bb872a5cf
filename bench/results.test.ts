import { describe, expect, test } from 'vitest';
import { FIGURES, MEASUREMENTS } from './figures.ts';
import { judge, resultsSchema, verdictOf } from './results.ts';
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
  const samples = (figure: 'bare' | 'start', values: readonly number[]) => ({
    figure,
    values,
    others: [],
    details: {},
  });

  test.each([
    ['bare', [0.55, 0.55, 0.1], true],
    ['bare', [0.54, 0.54, 2], false],
    ['start', [0.6, 0.6, 9], true],
    ['start', [0.61, 0.61, 0.2], false],
  ] as const)('%s of %j is met: %s', (figure, values, met) => {
    expect(judge(samples(figure, values)).met).toBe(met);
  });

  test('has the median of its rounds, not of what they were computed from', () => {
    const rate = (rowsPerSecond: number) => ({ rowsPerSecond, cost: null });
    const pairs = [
      { ours: rate(8000), theirs: rate(10_000) },
      { ours: rate(900), theirs: rate(1000) },
      { ours: rate(70), theirs: rate(100) },
    ];
    expect(judge(ratioSamples('bare', pairs))).toEqual({
      id: 'bare',
      target: 0.55,
      median: 0.8,
      low: 0.7,
      high: 0.9,
      met: true,
      values: [0.8, 0.9, 0.7],
      others: [],
      details: { rowsPerSecond: [8000, 900, 70], peerRowsPerSecond: [10_000, 1000, 100] },
    });
  });

  test('says beside it what the program counted itself', () => {
    const ours = { rowsPerSecond: 8, ownRowsPerSecond: 9, cost: null };
    const pairs = [{ ours, theirs: { rowsPerSecond: 10, cost: null } }];
    expect(ratioSamples('bare', pairs).details).toMatchObject({ summaryRowsPerSecond: [9] });
  });
});

describe('where others used the machine, too', () => {
  const measured = (figure: 'bare' | 'cpu', ...others: readonly number[]) =>
    judge({ figure, values: [0.9, 0.5, 0.7], others, details: {} });

  test('a speed has the median of the rounds without them', () => {
    expect(measured('bare', 0.01, 0.051, 0.05)).toMatchObject({ median: 0.8, low: 0.7, high: 0.9 });
    expect(measured('bare', 0.01, 0.06, 0.06)).toMatchObject({ median: 0.9, low: 0.9, high: 0.9 });
  });

  test('in every round, a speed has them all and does not count', () => {
    expect(measured('bare', 0.1, 0.06, 0.2)).toMatchObject({ median: 0.7, low: 0.5, high: 0.9 });
  });

  test('what something costs counts all the same', () => {
    expect(measured('cpu', 0.1, 0.01, 0.2)).toMatchObject({ median: 0.7, low: 0.5, high: 0.9 });
  });

  test.each([
    ['bare', [0.01, 0.5, 0.5], 'met'],
    ['bare', [0.5, 0.01, 0.5], 'not met'],
    ['bare', [0.5, 0.5, 0.5], 'not counted'],
    ['bare', [], 'met'],
    ['cpu', [0.5, 0.5, 0.5], 'met'],
  ] as const)('%s with %j is %s', (figure, others, verdict) => {
    expect(verdictOf(measured(figure, ...others))).toBe(verdict);
  });

  test('a share at the edge counts before it is written and after it is read', () => {
    expect(verdictOf(measured('bare', 0.050_002, 0.050_002, 0.050_002))).toBe('met');
  });
});

test('results are read back as they were written', () => {
  const results = someResults();
  expect(resultsSchema.parse(JSON.parse(JSON.stringify(results)))).toEqual(results);
});
