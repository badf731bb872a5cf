import { expect, test } from 'vitest';
import { costsOf } from './costs-of.ts';
import { someScale } from './some-scale.ts';

test('a row costs what it did with the most workers that the machine did not hold back', () => {
  expect(costsOf(someScale()).row).toMatchObject({ commands: 6, redisMicros: 96, networkBytes: 1_400 });
});

test('where the machine held all of them back, what it did with one', () => {
  const together = someScale().together.map((one) => ({ ...one, rowsPerSecond: 1 }));
  expect(costsOf({ ...someScale(), together }).row.commands).toBe(9);
});

test('the start of a process is no cost of a row, and what Redis does by itself none of a worker', () => {
  const { row, idleWorker } = costsOf(someScale());
  expect(row.readerMicros).toBeCloseTo(40);
  expect(idleWorker.redisMicros).toBeCloseTo(300);
  expect(idleWorker.commands).toBeCloseTo(9);
});

test('a busy Redis is never thought slower than one that is not', () => {
  const { busy } = someScale();
  const slow = { ...busy, perRow: { ...busy.perRow, redisMicros: 500 } };
  expect(costsOf({ ...someScale(), busy: slow }).row.busyRedisMicros).toBe(96);
});

test('one measurement alone is taken as it stands', () => {
  const together = someScale().together.slice(0, 1);
  expect(costsOf({ ...someScale(), together }).row.readerMicros).toBe(140);
});

test('a sign of life carries its share of the look at all members that one of them has every 5 s', () => {
  expect(costsOf(someScale()).beats).toEqual([
    { members: 10, commands: 17, redisMicros: 104 },
    { members: 1_000, commands: 1_007, redisMicros: 2_081 },
  ]);
});
