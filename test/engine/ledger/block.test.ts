import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packChunk, unpackChunk, unpackOpen } from '../../../src/engine/ledger/block.ts';
import { CLEAR, createSeal } from '../../../src/lib/seal.ts';
import { OUTCOMES, staysOpen, succeeded } from '../../../src/model/outcome.ts';
import { doubtOf, endedRow } from '../../support/settled-row.ts';
import { settlement } from '../../support/settlements.ts';

const SEALS = [CLEAR, createSeal(randomBytes(32), 'r')];
const alike = fc.record({ width: fc.constantFrom(8, 32), count: fc.integer({ min: 2, max: 40 }) });

test('a chunk comes back from its parts, whatever its rows are, each row from one of them', () => {
  const some = fc.uniqueArray(settlement, { selector: ({ row }) => row, maxLength: 12 });
  fc.assert(
    fc.property(some, fc.nat(), fc.constantFrom(...SEALS), (found, closedAt, seal) => {
      const settlements = found.toSorted((a, b) => a.row - b.row);
      const packed = packChunk(settlements, closedAt, seal);
      expect(unpackChunk(packed, seal)).toEqual({ closedAt, settlements });
      const open = packed.open === null ? [] : unpackOpen(packed.open, seal);
      expect(open).toEqual(settlements.filter(({ outcome }) => staysOpen(outcome)));
      expect(packed.open === null).toBe(open.length === 0);
    }),
  );
});

test('rows that follow each other, with keys and ids of one length, come back as they were', () => {
  fc.assert(
    fc.property(alike, fc.integer({ min: 1, max: 1e12 }), ({ width, count }, first) => {
      const settlements = Array.from({ length: count }, (_, i) => {
        const [row, outcome] = [first + i, i % 3 === 1 ? ('rejected' as const) : ('created' as const)];
        const id = randomBytes(width / 2).toString('hex');
        return endedRow(row, outcome, { line: 2 * row, key: `K${String(row).padStart(13, '0')}`, id });
      });
      expect(unpackChunk(packChunk(settlements, 1, CLEAR), CLEAR).settlements).toEqual(settlements);
    }),
  );
});

test('a chunk without some of its open rows is not read as if it had none', () => {
  const [none, one, two] = [[], [doubtOf(2)], [doubtOf(2), doubtOf(3)]].map((open) =>
    packChunk([endedRow(1, 'created'), ...open], 1, CLEAR),
  );
  if (none === undefined || one === undefined || two === undefined) throw new Error('no chunks');
  const read = (block: Buffer, open: Buffer | null) => () => unpackChunk({ block, open }, CLEAR);
  expect(read(one.block, null)).toThrow('tells of 1 open rows, and 0 are there');
  expect(read(two.block, one.open)).toThrow('tells of 2 open rows, and 1');
  expect(read(none.block, one.open)).toThrow('tells of 0 open rows, and 1');
});

test('a part that is sealed opens as no other', () => {
  const seal = createSeal(randomBytes(32), 'r');
  const { block, open } = packChunk([doubtOf(1)], 1, seal);
  expect(() => unpackOpen(block, seal)).toThrow();
  expect(() => unpackChunk({ block: open ?? block, open: block }, seal)).toThrow();
});

test('every outcome that is no success is among the open rows, and an adoption, which may be taken back', () => {
  const open = OUTCOMES.filter(staysOpen);
  expect(open).toEqual(OUTCOMES.filter((one) => !succeeded(one) || one === 'adopted'));
  expect(open).toEqual(['adopted', 'invalid', 'rejected', 'denied', 'failed', 'in-doubt', 'cancelled']);
});

test('a created row takes no more than 24 bytes, 16 of them its id', () => {
  const id = () => randomBytes(16).toString('hex');
  const settlements = Array.from({ length: 100 }, (_, i) =>
    endedRow(i + 1, 'created', { key: `FRM-${i + 47_100}`, id: id(), status: 201, ms: 40 + ((i * i) % 97) }),
  );
  expect(packChunk(settlements, Date.now(), CLEAR).block.length / 100).toBeLessThan(24);
});
