import { expect, test } from 'vitest';
import { createRowOrder } from '../../src/delivery/row-order.ts';
import type { Mark } from '../../src/engine/ledger/mark.ts';
import { settledRow } from '../support/settled-row.ts';

const CLAIMED = 'an-epoch';
const settled: Mark = { kind: 'settled', settlement: settledRow(1, 'created') };
const intent = (text: string): Mark => ({ kind: 'intent', text });
const of = (...rows: readonly number[]) => rows.map((row) => ({ row, identity: null }));

/** Rows 1 to 9, of which 2, 3, 6 and 9 are sent in order; row 1 has its outcome, and a take before left an intent on row 8. */
function orderOf() {
  const marks = new Map([
    [1, settled],
    [8, intent('i before 1.8')],
  ]);
  const parts = {
    chunk: 4,
    fencingToken: 'me.1',
    claimed: CLAIMED,
    rows: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  };
  return createRowOrder({ ...parts, taken: { watermark: 'before 8 x', marks } });
}

test('the first range names all that was found, and each one the rows before its end that go another way', () => {
  const order = orderOf();
  const first = order.rangeOf(of(2, 3));
  expect(first).toMatchObject({ seen: 'before 8 x', from: 0, claimed: CLAIMED });
  expect(first.outOfOrder).toEqual([{ row: 8, mark: 'i before 1.8' }]);
  order.passed(2);
  order.passed(3);
  const second = order.rangeOf(of(6));
  expect([second.from, second.outOfOrder]).toEqual([
    3,
    [
      { row: 4, mark: '-' },
      { row: 5, mark: '-' },
    ],
  ]);
  order.passed(6);
  expect(order.rangeOf(of(9)).outOfOrder).toEqual([
    { row: 7, mark: '-' },
    { row: 8, mark: 'i before 1.8' },
  ]);
});

test('a range that was not granted names the same once more', () => {
  const order = orderOf();
  expect(order.rangeOf(of(2, 3, 6))).toEqual(order.rangeOf(of(2, 3, 6)));
});

test('a row of the order that was left out is unsent, and goes by itself from then on', () => {
  const order = orderOf();
  expect(order.rangeOf(of(3, 6)).outOfOrder).toEqual([
    { row: 2, mark: '-' },
    { row: 4, mark: '-' },
    { row: 5, mark: '-' },
    { row: 8, mark: 'i before 1.8' },
  ]);
  order.passed(6);
  expect(order.isBefore(2)).toBe(false);
});

test('a row goes in order once, and none behind the one that the order has come to', () => {
  const order = orderOf();
  expect([2, 3, 6].map(order.isBefore)).toEqual([true, true, true]);
  order.passed(3);
  expect([2, 3, 6].map(order.isBefore)).toEqual([false, false, true]);
});

test('rows go in one order that all may be sent although a lost worker may have sent them, or none: the first says which', () => {
  for (const first of [true, false]) {
    const order = orderOf();
    expect([first, !first, first].map(order.admits)).toEqual([true, false, true]);
    expect(order.rangeOf(of(2)).repeatable).toBe(first);
  }
});
