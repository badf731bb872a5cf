import { expect, test } from 'vitest';
import { planCancelled } from '../../src/delivery/plan-row.ts';
import { settledRow } from '../../src/delivery/row-task.ts';
import { intentMark, type Mark } from '../../src/ledger/mark.ts';
import { OPERATIONS } from '../../src/model/operation.ts';
import { sampleRow, sampleTask } from './sample-task.ts';

const INTENT: Mark = { kind: 'intent', text: intentMark('dead.1', 1, 1) };

test.each(OPERATIONS)(
  'a row of %s that nobody has sent is cancelled, its key and record kept for a rerun',
  (operation) => {
    const task = sampleTask(operation);
    const plan = planCancelled(task, undefined);
    expect(plan).toEqual({ kind: 'settle', end: { outcome: 'cancelled' } });
    const row = settledRow(task, { outcome: 'cancelled' });
    expect([row.settlement.code, JSON.parse(row.source)]).toEqual(['', sampleRow()]);
    expect(row.identity?.becomes ?? 'given-back').toBe('given-back');
  },
);

test.each(OPERATIONS)(
  'a row of %s that a dead worker had in flight is in doubt: it is not sent again to find out',
  (operation) => {
    expect(planCancelled(sampleTask(operation), INTENT)).toMatchObject({
      kind: 'settle',
      end: { outcome: 'in-doubt', code: 'worker_lost' },
    });
  },
);

test('a row that a lost worker may have sent is in doubt where that could have created it', () => {
  const planOf = (operation: (typeof OPERATIONS)[number]) =>
    planCancelled(sampleTask(operation, { suspect: true }), undefined);
  expect(planOf('subclient.upsert')).toMatchObject({ end: { outcome: 'in-doubt', code: 'journal_lost' } });
  expect(planOf('subclient.update')).toMatchObject({ end: { outcome: 'cancelled' } });
});

test('a row that has its outcome keeps it', () => {
  const { settlement } = settledRow(sampleTask('subclient.create'), { outcome: 'created' });
  expect(planCancelled(sampleTask('subclient.create'), { kind: 'settled', settlement })).toEqual({
    kind: 'done',
  });
});

test('of a row that had to be made up no record is kept', () => {
  const task = sampleTask('subclient.create', { row: { ...sampleRow(), line: 0 } });
  expect(settledRow(task, { outcome: 'cancelled' }).source).toBe('');
});
