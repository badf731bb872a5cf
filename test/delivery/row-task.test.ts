import { describe, expect, test } from 'vitest';
import { ownKey, settledRow } from '../../src/delivery/row-task.ts';
import { identityOf } from '../../src/ledger/keys.ts';
import { OPERATIONS, type Operation, spaceOf } from '../../src/model/operation.ts';
import { OUTCOMES, type Outcome } from '../../src/model/outcome.ts';
import { CLAIMS, sampleRow, sampleTask } from './sample-task.ts';

/** Rows that go into a report file again, and cancelled ones, which may be sent after all. */
const KEEPS_SOURCE: readonly Outcome[] = ['invalid', 'rejected', 'denied', 'failed', 'in-doubt', 'cancelled'];

describe('a row’s own key', () => {
  const keyOf = (operation: Operation, over: Parameters<typeof sampleTask>[1] = {}) =>
    ownKey(sampleTask(operation, over), 'loose');

  test.each(OPERATIONS)(
    '%s: is in its space where it claimed it, and in none where nothing is made',
    (operation) => {
      const space = spaceOf(operation);
      const own = space === null ? null : { space, key: 'K7', place: identityOf('K7') };
      expect(keyOf(operation)).toEqual(own);
    },
  );

  test.each(['duplicate', 'known', 'held', 'doubted'] as const)(
    'is another row’s where the claim was %s',
    (claim) => expect(keyOf('subclient.create', { claim: CLAIMS[claim] })).toBeNull(),
  );

  test('is the row’s place without a key column, and none at all for a row without a key', () => {
    expect(keyOf('subclient.create', { key: '', identityKey: 'abc:7' })).toMatchObject({ key: 'abc:7' });
    expect(keyOf('subclient.create', { identityKey: null })).toBeNull();
  });
});

describe('the intent that the row is settled over', () => {
  test.each([
    ['the one found on the row, where nothing was sent', undefined, 'i dead.1 1'],
    ['the last attempt’s', 'i me.1 2.1', 'i me.1 2.1'],
    ['none, where the last attempt was taken back', '', ''],
  ])('%s', (_, mark, expected) => {
    const task = sampleTask('subclient.create', { foundMark: 'i dead.1 1' });
    expect(settledRow(task, { outcome: 'failed' }, mark).mark).toBe(expected);
  });
});

describe('what is kept of the row', () => {
  test.each(OUTCOMES.map((outcome) => [outcome, KEEPS_SOURCE.includes(outcome)] as const))(
    '%s: its record is kept: %s',
    (outcome, kept) => {
      const { source } = settledRow(sampleTask('subclient.create'), { outcome });
      expect(source).toBe(kept ? JSON.stringify(sampleRow()) : '');
    },
  );

  test('nothing of a row that had to be made up, since its file was gone', () => {
    const task = sampleTask('subclient.create', { row: { ...sampleRow(), line: 0 } });
    expect(settledRow(task, { outcome: 'cancelled' }).source).toBe('');
  });
});
