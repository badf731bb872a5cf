import { expect, test } from 'vitest';
import type { RowDecision } from '../../src/ledger/resolve-entry.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { withMates } from '../../src/runs/resolve-group.ts';
import { doubtOf } from '../support/doubts.ts';

const created = (row: number, id: string): RowDecision => ({ row, decision: { kind: 'created', id } });
const notCreated = (row: number): RowDecision => ({ row, decision: { kind: 'not-created' } });

/** Keys of the rows from 1 on, in batches of two: a group may lie in several. */
function extend(rows: readonly Settlement[], ...decisions: readonly RowDecision[]) {
  const view = {
    async *settlements() {
      for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2);
    },
  };
  return withMates(view, decisions);
}

const doubts = (...keys: readonly string[]) => keys.map((key, i) => doubtOf(i + 1, { key }));

test('a decision is that of every row in doubt of its key that stands beside it', async () => {
  const rows = doubts('a', 'b', 'b', 'b', 'c', 'b');
  expect(await extend(rows, created(3, 'x'))).toEqual({
    decisions: [created(2, 'x'), created(3, 'x'), created(4, 'x')],
    mates: [2, 4],
  });
  expect(await extend(rows, created(6, 'y'), notCreated(1))).toEqual({
    decisions: [notCreated(1), created(6, 'y')],
    mates: [],
  });
});

test('rows without a key are never one record', async () => {
  expect(await extend(doubts('', '', ''), created(2, 'x'))).toEqual({
    decisions: [created(2, 'x')],
    mates: [],
  });
});

test.each([
  [
    'two ids',
    [created(1, 'x'), created(2, 'y')],
    'row 2 is created, id y, and row 1, of the same key, created, id x',
  ],
  ['created and not created', [notCreated(1), created(3, 'y')], 'row 3 is created, id y, and row 1'],
])('%s for rows of one key are refused', async (_, decisions, problem) => {
  await expect(extend(doubts('a', 'a', 'a'), ...decisions)).rejects.toThrow(problem);
});

test.each([
  ['id', { outcome: 'drafted', id: 'x', code: 'resolved' }, created(2, 'y')],
  ['creation', { outcome: 'drafted', id: 'x', code: 'resolved' }, notCreated(2)],
  ['absence', { outcome: 'failed', code: 'not_created' }, created(2, 'y')],
] as const)(
  'another %s than a row of the key was settled with before is refused',
  async (_, settled, decision) => {
    const rows = [doubtOf(1, { key: 'a', ...settled }), doubtOf(2, { key: 'a' })];
    await expect(extend(rows, decision)).rejects.toThrow('row 1 is');
  },
);

test('the decision that a row of the key was settled with before is that of the rest', async () => {
  const rows = [doubtOf(1, { key: 'a', outcome: 'drafted', id: 'x' }), ...doubts('', 'a', 'a').slice(1)];
  expect((await extend(rows, created(1, 'x'))).mates).toEqual([2, 3]);
  expect((await extend(rows, created(2, 'x'))).mates).toEqual([3]);
});

test('where no row of the key is in doubt any more nothing is added or refused here', async () => {
  const rows = doubts('a', 'a').map((one): Settlement => ({ ...one, outcome: 'drafted', id: 'x' }));
  expect(await extend(rows, created(1, 'y'))).toEqual({ decisions: [created(1, 'y')], mates: [] });
});
