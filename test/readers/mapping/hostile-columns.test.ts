import { expect, test } from 'vitest';
import { startCpuClock } from '../../support/cpu-clock.ts';
import { compileCsv, compileJson, problemsOf } from './catalog.ts';

const many = (length: number, n = 9_900) => Array.from({ length: n }, (_, i) => `c${i}_`.padEnd(length, 'x'));
const columnOf = (name: string) => [name.replace('_', '.'), { column: name }];

test.each([
  ['CSV of 100 signs', () => compileCsv(many(100))],
  ['JSON of 101 signs', () => compileJson(many(101))],
  [
    'CSV, beside as many missing ones',
    () => compileCsv(many(60), { fields: Object.fromEntries(many(59, 2_000).map(columnOf)) }),
  ],
  ['JSON, with a list of ignored ones', () => compileJson(many(60), { ignore: many(59, 200) })],
])('thousands of unknown columns are told in a bounded time and text: %s', (_, compile) => {
  const spentMs = startCpuClock();
  const problems = problemsOf(compile);
  expect(spentMs()).toBeLessThan(3_000);
  expect(problems).toHaveLength(22);
  expect(problems.join('\n').length).toBeLessThan(45_000);
});

test.each([
  ['names', 'a.'.repeat(300_000)],
  ['list positions', `accounts${'[0]'.repeat(200_000)}`],
  ['names within a member that is carried', `draft.${'a.'.repeat(300_000)}a`],
  ['spaces', ' '.repeat(900_000)],
  ['forms of one letter', 'ﷺ'.repeat(50_000)],
])('one column whose name is a long row of %s is told at once', (_, column) => {
  for (const compile of [compileCsv, compileJson]) {
    const spentMs = startCpuClock();
    try {
      compile([column, 'name']);
    } catch (error) {
      expect(error).toHaveProperty('name', 'UsageError');
    }
    expect(spentMs()).toBeLessThan(3_000);
  }
});
