import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createBodyTeller } from '../../../src/engine/ledger/refusal-bodies.ts';
import { type SettledRow, tellEnds } from '../../../src/engine/ledger/settle-entry.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { entriesIn, settleEntries } from '../../support/ledger.ts';
import { settledRow } from '../../support/settled-row.ts';

const keys = ledgerKeys('sandbox');

const accepted: fc.Arbitrary<SettledRow> = fc
  .record({
    chunk: fc.integer({ min: 1, max: 3 }),
    row: fc.integer({ min: 1, max: 400 }),
    token: fc.constantFrom('a.1', 'b.2'),
    attempt: fc.integer({ min: 1, max: 2 }),
    outcome: fc.constantFrom('created' as const, 'updated' as const),
    key: fc.option(fc.string({ unit: 'binary' })),
    id: fc.string({ unit: 'binary' }),
    isSingle: fc.boolean(),
    accounts: fc.uniqueArray(fc.stringMatching(/^[\w-]{18}$/), { maxLength: 2 }),
  })
  .map(({ chunk, row, token, attempt, outcome, key, id, isSingle, accounts }) => {
    const identity = key === null ? null : { space: 'subclient', key, accounts };
    const mark = isSingle ? `i ${token} 1` : `i ${token} ${attempt}.${row}`;
    return settledRow(row, outcome, { chunk, identity, mark, id });
  });

test('of rows that were told together the journal’s reader makes what each would have been told as by itself', () => {
  fc.assert(
    fc.property(fc.uniqueArray(accepted, { selector: ({ row }) => row }), (rows) => {
      const inOrder = (entries: ReturnType<typeof entriesIn>) => entries.toSorted((a, b) => a.row - b.row);
      const { ended, unsent } = tellEnds(keys, rows, {
        isFirst: true,
        seal: CLEAR,
        bodies: createBodyTeller('r'),
      });
      expect(unsent).toEqual([]);
      expect(inOrder(entriesIn(ended))).toEqual(inOrder(settleEntries(keys, rows)));
    }),
  );
});

test('each row is told once: together where nothing is kept of it but its settlement and its key, else by itself', () => {
  const plain = settledRow(1, 'created', { mark: 'i a.1 1.1' });
  const others = [
    settledRow(2, 'rejected', { mark: 'i a.1 1.2', source: '{}' }),
    settledRow(4, 'created', { mark: 'i a.1 1.4', leader: 1 }),
    settledRow(5, 'listed', { mark: 'i a.1 1.5', documents: '[]' }),
    settledRow(6, 'created', { mark: 'i a.1 2.6' }),
  ];
  const unsent = settledRow(3, 'invalid');
  const told = tellEnds(keys, [...others, unsent, plain], {
    isFirst: true,
    seal: CLEAR,
    bodies: createBodyTeller('r'),
  });
  const { together, rows } = z.object({ together: ofRows, rows: ofRows }).parse(JSON.parse(told.ended));
  expect([together.length, rows.length, told.unsent.length]).toEqual([1, 4, 1]);
  expect(
    tellEnds(keys, [plain], { isFirst: false, seal: CLEAR, bodies: createBodyTeller('r') }).ended,
  ).toContain('"together":[]');
});

test.each([
  ['known', 'k', ['created', 'drafted']],
  ['in doubt', 'd', ['in-doubt']],
  [
    'given back',
    'x',
    ['updated', 'listed', 'skipped', 'invalid', 'rejected', 'denied', 'failed', 'cancelled'],
  ],
] as const)('a key is %s after its row’s outcome', (_, becomes, outcomes) => {
  const identity = { space: 'subclient', key: 'K1' };
  const told = outcomes.map((outcome) => settledRow(1, outcome, { identity, mark: 'i a.1 2.1' }));
  const id = becomes === 'k' ? 'id-1' : '';
  const entries = settleEntries(keys, told);
  expect(entries).toMatchObject(outcomes.map(() => ({ key: { becomes, id } })));
});

const ofRows = z.array(z.unknown());
