import { expect, test } from 'vitest';
import { createDenialStreak } from '../../src/delivery/denial-streak.ts';
import { settledRow } from '../../src/delivery/row-task.ts';
import { sampleRow, sampleTask } from './sample-task.ts';

function denied(row: number) {
  return settledRow(sampleTask('subclient.create', { row: sampleRow(row) }), {
    outcome: 'denied',
    status: 403,
  });
}

test('the first two are denied rows, the third is a missing permission and names the two before it', () => {
  const streak = createDenialStreak();
  const [one, two, three] = [denied(1), denied(2), denied(3)];
  expect(streak.denied([one])).toEqual({ kind: 'row' });
  expect(streak.denied([two])).toEqual({ kind: 'row' });
  expect(streak.denied([three])).toEqual({ kind: 'streak', earlier: [one, two] });
});

test('those in flight with them are part of the streak, and take nothing back that may be on its way again', () => {
  const streak = createDenialStreak();
  for (const row of [1, 2, 3]) streak.denied([denied(row)]);
  expect(streak.denied([denied(4)])).toEqual({ kind: 'streak', earlier: [] });
});

test('another answer between them makes them single rows', () => {
  const streak = createDenialStreak();
  for (const row of [1, 2, 3, 4, 5, 6]) {
    if (row % 2 === 1) streak.broken();
    expect(streak.denied([denied(row)])).toEqual({ kind: 'row' });
  }
});

test('after a streak was broken the next begins with none', () => {
  const streak = createDenialStreak();
  for (const row of [1, 2, 3]) streak.denied([denied(row)]);
  streak.broken();
  const [four, five] = [denied(4), denied(5)];
  expect([streak.denied([four]), streak.denied([five])]).toEqual([{ kind: 'row' }, { kind: 'row' }]);
  expect(streak.denied([denied(6)])).toEqual({ kind: 'streak', earlier: [four, five] });
});
