import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksIn, createPlaces } from '../../src/report/places.ts';

function textOf(set: readonly number[], chunks: number): string {
  const places = createPlaces({ rows: 100 * chunks, chunks });
  for (const chunk of set) places.add(1, chunk);
  return places.chunks();
}

test('names every chunk that was set, in order, and none where none was', () => {
  expect([...chunksIn(textOf([1, 9, 2_048], 2_048), 2_048)]).toEqual([1, 9, 2_048]);
  expect([...chunksIn(textOf([1, 9, 2_048], 2_048), 2_048, 9)]).toEqual([9, 2_048]);
  expect([...chunksIn(textOf([], 500), 500)]).toEqual([]);
  expect([...chunksIn(textOf([], 0), 0)]).toEqual([]);
});

test('of a run of any size, never misses one, and reads few that share a bit with it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (chunks, at) => {
        const chunk = 1 + Math.floor(at * (chunks - 1));
        const found = [...chunksIn(textOf([chunk], chunks), chunks)];
        expect(found).toContain(chunk);
        expect(found.length).toBeLessThanOrEqual(Math.ceil(chunks / 2_048));
      },
    ),
  );
});

test('stays as small for ten million rows', () => {
  const chunks = 100_000;
  expect(
    textOf(
      Array.from({ length: chunks }, (_, i) => i + 1),
      chunks,
    ),
  ).toHaveLength(344);
});
