import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Row } from '../../../src/model/row.ts';
import { MAX_GROUP_ROWS } from '../../../src/model/row-group.ts';
import { chunksOf, rowsBefore, rowsOfChunk } from '../../../src/model/run.ts';
import { createChunkEnds, createCut } from '../../../src/readers/intake/chunks.ts';
import { groupRows } from '../../support/group-rows.ts';
import { keyedRows, keyOfRow as keyOf } from '../../support/keyed-rows.ts';

/** Rows of groups of these sizes, each with a key of its own. */
const rowsOf = (sizes: readonly number[]) =>
  keyedRows(sizes.flatMap((size, i) => Array<string>(size).fill(`k${i}`)));

function chunkEndsOf(rows: readonly Row[], cutting: Parameters<typeof createChunkEnds>[0]): number[] {
  const chunks = createChunkEnds(cutting);
  for (const row of rows) chunks.see(row);
  return chunks.ends();
}

const endsOf = (sizes: readonly number[], chunkRows: number) =>
  chunkEndsOf(rowsOf(sizes), { chunkRows, keyOf });

test('a chunk ends at the first end of a group at or after its size', () => {
  expect(endsOf([3, 3, 3, 1, 1, 1], 4)).toEqual([6, 10, 12]);
  expect(endsOf([4, 4], 4)).toEqual([4, 8]);
});

test('a file without rows has no chunks', () => {
  expect(endsOf([], 4)).toEqual([]);
});

test('a group that is too large is cut, so that no chunk has more than 299 rows', () => {
  const ends = endsOf([99, 450, 2], 100);
  expect(ends).toEqual([99 + MAX_GROUP_ROWS, 99 + 2 * MAX_GROUP_ROWS, 551]);
});

test('whatever the groups, chunks hold whole groups, and only the last one may be small', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 150, max: 420 })), {
        maxLength: 30,
      }),
      (sizes) => {
        const rows = rowsOf(sizes);
        const chunkEnds = endsOf(sizes, 100);
        const run = { rows: rows.length, chunkRows: 100, chunkEnds };
        const chunks = Array.from({ length: chunksOf(run) }, (_, i) =>
          rows.slice(rowsBefore(run, i + 1), rowsBefore(run, i + 1) + rowsOfChunk(run, i + 1)),
        );
        expect(chunks.flat()).toEqual(rows);
        expect(chunks.flatMap((chunk) => groupRows(chunk, keyOf))).toEqual(groupRows(rows, keyOf));
        expect(chunks.slice(0, -1).every(({ length }) => length >= 100)).toBe(true);
        expect(Math.max(0, ...chunks.map(({ length }) => length))).toBeLessThan(100 + MAX_GROUP_ROWS);
      },
    ),
    { numRuns: 40 },
  );
});

test('without groups a chunk ends at its size', () => {
  const endsBefore = createCut({ chunkRows: 2, keyOf: null });
  const [row] = rowsOf([1]);
  expect(row === undefined ? [] : [0, 1, 2].map((size) => endsBefore(row, size))).toEqual([
    false,
    false,
    true,
  ]);
});

test('a row that has lost its key is not parted from the groups beside it, only from another such row', () => {
  const ends = (keys: readonly string[]) => chunkEndsOf(keyedRows(keys), { chunkRows: 2, keyOf });
  expect(ends(['a', 'b', '', 'c', 'd', 'e'])).toEqual([4, 6]);
  expect(ends(['a', 'b', '', '', 'c', 'd'])).toEqual([3, 5, 6]);
});

test('a file of which every other row has lost its key still has chunks of bounded size', () => {
  const keys = Array.from({ length: 2000 }, (_, i) => (i % 2 === 0 ? `k${i}` : ''));
  const ends = chunkEndsOf(keyedRows(keys), { chunkRows: 100, keyOf });
  const sizes = ends.map((end, i) => end - (ends[i - 1] ?? 0));
  expect(Math.max(...sizes)).toBe(2 * MAX_GROUP_ROWS);
});

test.each([
  [250, [5, 105, 205, 250]],
  [105, [5, 105]],
  [5, [5]],
  [3, [3]],
  [0, []],
])(
  'of %i rows without groups the first five go ahead, and the rest follows in hundreds: %j',
  (rows, ends) => {
    const run = { rows, chunkRows: 100, chunkEnds: null, firstRows: 5 };
    const endOf = (_: unknown, i: number) => rowsBefore(run, i + 1) + rowsOfChunk(run, i + 1);
    expect(Array.from({ length: chunksOf(run) }, endOf)).toEqual(ends);
    const cut = { chunkRows: 100, firstRows: 5, keyOf: null };
    expect(chunkEndsOf(rowsOf(Array<number>(rows).fill(1)), cut)).toEqual(ends);
  },
);

test('a first chunk that goes ahead has whole groups too', () => {
  expect(chunkEndsOf(rowsOf([2, 4, 3, 3, 3]), { chunkRows: 5, firstRows: 3, keyOf })).toEqual([6, 12, 15]);
});
