import { describe, expect, test } from 'vitest';
import { settledRow } from '../../src/delivery/row-task.ts';
import { OPERATIONS, spaceOf } from '../../src/model/operation.ts';
import { OUTCOMES, type Outcome } from '../../src/model/outcome.ts';
import { CLAIMS, sampleRow, sampleTask } from './sample-task.ts';

const CREATING = OPERATIONS.filter((operation) => spaceOf(operation) !== null);
/** Rows that go into a report file again, and cancelled ones, which may be sent after all. */
const KEEPS_SOURCE: readonly Outcome[] = ['invalid', 'rejected', 'denied', 'failed', 'in-doubt', 'cancelled'];
const NOT_CREATING = OPERATIONS.filter((operation) => spaceOf(operation) === null);

describe('what becomes of a key that the row has claimed', () => {
  const becomes: Readonly<Record<Outcome, 'known' | 'in-doubt' | 'given-back'>> = {
    created: 'known',
    drafted: 'known',
    'in-doubt': 'in-doubt',
    updated: 'given-back',
    listed: 'given-back',
    skipped: 'given-back',
    invalid: 'given-back',
    rejected: 'given-back',
    denied: 'given-back',
    failed: 'given-back',
    cancelled: 'given-back',
  };

  describe.each(CREATING)('%s', (operation) => {
    test.each(OUTCOMES)('%s', (outcome) => {
      const { identity } = settledRow(sampleTask(operation), { outcome, id: 'made-1' });
      expect(identity).toEqual({
        space: operation === 'counterparty.draft' ? 'counterparty' : 'subclient',
        key: 'K7',
        becomes: becomes[outcome],
        id: becomes[outcome] === 'known' ? 'made-1' : '',
      });
    });

    test.each(['duplicate', 'known', 'held', 'doubted'] as const)(
      'a claim that was %s leaves the key to the other row, whatever the outcome',
      (claim) => {
        for (const outcome of OUTCOMES) {
          const task = sampleTask(operation, { claim: CLAIMS[claim] });
          expect(settledRow(task, { outcome }).identity).toBeNull();
        }
      },
    );

    test('a row without a key has nothing in the identity ledger', () => {
      for (const outcome of OUTCOMES) {
        expect(settledRow(sampleTask(operation, { identityKey: null }), { outcome }).identity).toBeNull();
      }
    });
  });

  test.each(NOT_CREATING)('%s creates nothing: no key changes', (operation) => {
    for (const outcome of OUTCOMES) {
      expect(settledRow(sampleTask(operation), { outcome }).identity).toBeNull();
    }
  });

  test('without a key column it is the row’s place that becomes known, while results.csv has an empty key', () => {
    const task = sampleTask('subclient.create', { key: '', identityKey: 'abc:7' });
    expect(settledRow(task, { outcome: 'created', id: 'sub-1' })).toMatchObject({
      settlement: { key: '' },
      identity: { key: 'abc:7', becomes: 'known', id: 'sub-1' },
    });
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
