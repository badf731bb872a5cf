import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/journal/record.ts';
import { ledgerKeys } from '../../src/ledger/keys.ts';
import { type SettledRow, toldRows } from '../../src/ledger/settle-entry.ts';
import { settleEntries } from '../support/ledger.ts';
import { settledRow } from '../support/settled-row.ts';

const keys = ledgerKeys('sandbox');

const accepted: fc.Arbitrary<SettledRow> = fc
  .record({
    chunk: fc.integer({ min: 1, max: 3 }),
    row: fc.integer({ min: 1, max: 400 }),
    taker: fc.constantFrom('a.1', 'b.2'),
    attempt: fc.integer({ min: 1, max: 2 }),
    outcome: fc.constantFrom('created' as const, 'updated' as const),
    key: fc.option(fc.string({ unit: 'binary' })),
    id: fc.string({ unit: 'binary' }),
    isSingle: fc.boolean(),
  })
  .map(({ chunk, row, taker, attempt, outcome, key, id, isSingle }) => {
    const identity = key === null ? null : ({ space: 'subclient', key, becomes: 'known', id } as const);
    const mark = isSingle ? `i ${taker} 1` : `i ${taker} ${attempt}.${row}`;
    const whole = settledRow(row, outcome, { chunk, identity, mark });
    return { ...whole, settlement: { ...whole.settlement, id } };
  });

/** What the journal's reader makes of the groups. */
function readBack(groups: string): readonly unknown[] {
  const stored = decodeLine(encodeLine({ kind: 'accepted', run: 'r', groups }).trimEnd());
  return stored?.kind === 'settled' ? stored.entries : [];
}

test('of rows that were told in groups the journal’s reader makes what each would have been told as by itself', () => {
  fc.assert(
    fc.property(fc.uniqueArray(accepted, { selector: ({ settlement }) => settlement.row }), (rows) => {
      const told = toldRows(keys, rows, true);
      expect(told.others).toEqual([]);
      const alone = told.order.flatMap((place) => rows.slice(place, place + 1));
      expect(readBack(told.groups)).toEqual(settleEntries(keys, alone));
    }),
  );
});

test('each row is told once: in a group where nothing is kept of it but its settlement and its key, else by itself', () => {
  const plain = settledRow(1, 'created', { mark: 'i a.1 1.1' });
  const others = [
    settledRow(2, 'rejected', { mark: 'i a.1 1.2', source: '{}' }),
    settledRow(3, 'created', { mark: '' }),
    settledRow(4, 'created', { mark: 'i a.1 1.4', lead: 1 }),
    settledRow(5, 'listed', { mark: 'i a.1 1.5', documents: '[]' }),
  ];
  const told = toldRows(keys, [...others, plain], true);
  expect(told.order).toEqual([4, 0, 1, 2, 3]);
  expect(told.others.map(({ entry }) => entry)).toEqual(settleEntries(keys, others));
  expect(toldRows(keys, [plain], false).others).toHaveLength(1);
});
