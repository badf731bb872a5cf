import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alternate, costOfRow, cpuSamples, median, othersOf, ratioSamples, spreadOf } from './samples.ts';

describe('the median', () => {
  test.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 2], 9],
    [[-1, -2], -1.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test('of nothing is an error', () => {
    expect(() => median([])).toThrow('no values');
  });

  test('leaves as many values below it as above', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  test('leaves the values as they were', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

test('the spread is from the least value to the greatest', () => {
  expect(spreadOf([0.9, 0.7, 0.8])).toEqual({ median: 0.8, low: 0.7, high: 0.9 });
});

test('both sides run in every round, each of them first in every second', async () => {
  const order: string[] = [];
  const side = (name: string) => async () => order.push(name);
  const pairs = await alternate(3, { ours: side('ours'), theirs: side('theirs') });
  expect(order).toEqual(['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs']);
  expect(pairs).toEqual([
    { ours: 1, theirs: 2 },
    { ours: 4, theirs: 3 },
    { ours: 5, theirs: 6 },
  ]);
});

describe('what a row cost', () => {
  const spent = { micros: 900, partMicros: { Redis: 300, Service: 100 }, busy: 0.5, others: 0.02 };
  const cost = costOfRow(spent, 10);

  test('is shared out: what is neither Redis nor the service is the program', () => {
    expect(cost?.cpuMicros).toEqual({ All: 90, Program: 50, Redis: 30, Service: 10 });
  });

  test('stands beside the rates of both sides', () => {
    const ours = { rowsPerSecond: 5, cost };
    const theirs = { rowsPerSecond: 10, cost: costOfRow({ ...spent, others: 0.3 }, 5) };
    const { others, details } = ratioSamples('bare', [{ ours, theirs }]);
    expect(others).toEqual([0.3]);
    expect(details).toMatchObject({
      cpuRedis: [30],
      cpuOthers: [0.02],
      peerCpuAll: [180],
      peerCpuOthers: [0.3],
    });
  });

  test('is a figure of its own, and none where it was not measured in every round', () => {
    expect(cpuSamples('cpu', 'All', [cost, cost])).toMatchObject([
      { values: [90, 90], others: [0.02, 0.02] },
    ]);
    expect(cpuSamples('cpu', 'All', [cost, null])).toEqual([]);
  });
});

test.each([
  [
    [
      [{ others: 0.1 }, { others: 0.3 }],
      [{ others: 0.2 }, null],
    ],
    [0.3, 0.2],
  ],
  [[[{ others: 0.1 }], [null]], []],
])('others used in the rounds %j: %j', (rounds, expected) => {
  expect(othersOf(rounds)).toEqual(expected);
});
