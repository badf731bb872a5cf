import { expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';

const words = (n: number) => `problem ${n}`;

test('few problems are told as they are', () => {
  const problems = Array.from({ length: 22 }, (_, n) => words(n));
  expect(new UsageError(problems)).toMatchObject({ problems, message: problems.join('\n') });
});

test('of many problems the first and the last are told, and how many others there are; only their words are found', () => {
  let found = 0;
  const lazy = Array.from({ length: 9_900 }, (_, n) => () => {
    found += 1;
    return words(n);
  });
  const { problems, all } = new UsageError(lazy);
  expect([problems.length, problems[19], problems[20], problems[21]]).toEqual([
    22,
    'problem 19',
    'and 9879 more',
    'problem 9899',
  ]);
  expect([found, all.length]).toEqual([21, 9_900]);
  // Whoever adds the file's name to each problem tells as much.
  expect(new UsageError(problems).problems).toEqual(problems);
});

test('a problem that quotes a long name keeps its beginning and its end', () => {
  const { message } = new UsageError(`column "${'x'.repeat(1_000_000)}": rename it`);
  expect(message).toMatch(/^column "x+ … x+": rename it$/);
  expect(message.length).toBeLessThan(2_010);
});
