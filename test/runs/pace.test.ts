import { expect, test } from 'vitest';
import { noOutcomes } from '../../src/model/outcome.ts';
import { createPace } from '../../src/runs/pace.ts';

/** The pace of a run of 1,000 rows, looked at every second; answers what it says at each look. */
function looks(settled: readonly number[]): string[] {
  const clock = { ms: 0 };
  const run = (created: number) => ({ rows: 1000, outcomes: { ...noOutcomes(), created } });
  const pace = createPace(run(0), () => clock.ms);
  return settled.map((created) => {
    clock.ms += 1_000;
    return pace(run(created));
  });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const steady = (first: number, perLook: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + perLook * (i + 1));

test('while rows go, it is their mean and the time left at that', () => {
  expect(looks(steady(0, 10, 5)).at(-1)).toBe('10/s, 1 min 35 s left');
});

test('where no row has come for over ten seconds, the run waits and no time is named', () => {
  const said = looks([...steady(0, 10, 5), ...times(60, 50)]);
  expect(said[14]).toMatch(/left$/);
  expect(new Set(said.slice(15))).toEqual(new Set(['waiting']));
});

test('after a standstill it is measured anew, as if the standstill had not been', () => {
  const said = looks([...steady(0, 10, 5), ...times(600, 50), ...steady(50, 20, 11)]);
  expect(said[605]).toBe('0/s, ? left');
  expect(said.at(-1)).toBe('20/s, 37 s left');
});

test('a standstill before the first row is none of its pace either', () => {
  const said = looks([...times(300, 0), ...steady(0, 20, 11)]);
  expect(said[299]).toBe('waiting');
  expect(said.at(-1)).toBe('20/s, 39 s left');
});

test('rows that come every twenty seconds are no standstill', () => {
  const said = looks(Array.from({ length: 120 }, (_, i) => Math.floor((i + 1) / 20)));
  expect(said.slice(20)).not.toContain('waiting');
  expect(said.at(-1)).toBe('0/s, 5 h 31 min left');
});
