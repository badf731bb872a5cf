import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChunkJob,
  chunkJobId,
  chunkOfPayload,
  payloadOf,
  runOfJobId,
} from '../../../src/engine/queue/chunk-job.ts';
import { CLEAR, createSeal, KEY_BYTES } from '../../../src/lib/seal.ts';

const cell = fc.oneof(
  fc.constantFrom('', '\u007f', '\u0000', '"', '\\', ',', '\n', '\ud800', '\udc00', '€', '😀', '__proto__'),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);
const place = { row: fc.integer({ min: 1 }), line: fc.integer({ min: 1 }) };
const positions = fc.array(fc.nat({ max: 5 }), { maxLength: 2 });
const claim = fc.oneof(
  { weight: 9, arbitrary: fc.constant({ kind: 'claimed' } as const) },
  fc.record({ kind: fc.constant('duplicate' as const), row: fc.integer({ min: 1 }) }),
);
const rowContent = fc.record(
  { digest: fc.string(), nth: fc.integer({ min: 2 }) },
  { requiredKeys: ['digest'] },
);
const cellsOf = (width: number) => fc.array(cell, { minLength: width, maxLength: width });
const cellsRow = (width: number) =>
  fc.record({ kind: fc.constant('cells' as const), ...place, cells: cellsOf(width) });
const oddRow = fc.oneof(
  fc.record({ kind: fc.constant('cells' as const), ...place, cells: fc.array(cell), typed: positions }),
  fc.record({ kind: fc.constant('cells' as const), ...place, cells: fc.array(cell) }),
  fc.record({ kind: fc.constant('record' as const), ...place, text: fc.json() }),
  fc.record({ kind: fc.constant('unreadable' as const), ...place, text: cell, problem: cell }),
);
const rows = fc.integer({ min: 1, max: 4 }).chain((width) => {
  const row = fc.oneof({ weight: 19, arbitrary: cellsRow(width) }, oddRow);
  return fc.array(fc.record({ row, claim, rowContent }, { requiredKeys: ['row', 'claim'] }), {
    minLength: 1,
    maxLength: 6,
  });
});

function chunk(given: ChunkJob['rows']): ChunkJob {
  return { run: 'run-1', chunk: 3, rows: given };
}

function plain(...lists: string[][]): ChunkJob {
  return chunk(
    lists.map((cells, i) => ({
      row: { kind: 'cells', row: i + 1, line: i + 2, cells },
      claim: { kind: 'claimed' },
    })),
  );
}

const CLEARLY = async () => CLEAR;
const seal = createSeal(Buffer.alloc(KEY_BYTES, 7), 'run-1');
const SEALED = async () => seal;

describe('a chunk as the payload of a job', () => {
  it('with any rows, is the same chunk again after JSON', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (given, isSealed) => {
        const job = chunk(given);
        const sealOf = isSealed ? SEALED : CLEARLY;
        const payload: unknown = JSON.parse(JSON.stringify(await payloadOf(job, sealOf)));
        expect(await chunkOfPayload(payload, sealOf)).toEqual(job);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is packed where its rows are plain, else stays as it is', async () => {
    const job = plain(['a', ''], ['b', 'c']);
    expect(await payloadOf(job, CLEARLY)).toEqual({
      run: 'run-1',
      chunk: 3,
      packed: { places: [1, 2, 2, 3], width: 2, cells: 'a\u007f\u007fb\u007fc' },
    });
    for (const odd of [plain(['a\u007fb', '']), plain(['a'], ['b', 'c']), plain([])]) {
      expect(await payloadOf(odd, CLEARLY)).toBe(odd);
    }
  });

  it('in a form of a later version, is refused with what was expected', async () => {
    await expect(chunkOfPayload({ run: 'run-1', chunk: 3, table: 'x' }, CLEARLY)).rejects.toThrow(
      /expected a chunk in a form that this version knows/,
    );
  });

  it.each([
    ['a cell too few', { places: [1, 2, 2, 3], width: 2, cells: 'a\u007fb\u007fc' }],
    ['a cell too many', { places: [1, 2], width: 1, cells: 'a\u007fb' }],
    ['half a place', { places: [1, 2, 2], width: 1, cells: 'a' }],
    ['no rows', { places: [], width: 1, cells: '' }],
    ['row 0', { places: [0, 2], width: 1, cells: 'a' }],
    ['a claim too few', { places: [1, 2, 2, 3], width: 1, cells: 'a\u007fb', claims: [{ kind: 'claimed' }] }],
    ['no cells', { places: [1, 2], width: 1 }],
  ])('that is packed with %s, is refused', async (_, packed) => {
    await expect(chunkOfPayload({ run: 'run-1', chunk: 3, packed }, CLEARLY)).rejects.toThrow();
  });

  it.each([
    ['no rows', { rows: [] }],
    ['chunk 0', { chunk: 0 }],
    ['no run', { run: undefined }],
    ['a claim that there is not', { rows: [{ ...plain(['a']).rows[0], claim: { kind: 'free' } }] }],
  ])('with %s, is refused', async (_, wrong) => {
    await expect(chunkOfPayload({ ...plain(['a']), ...wrong }, CLEARLY)).rejects.toThrow();
  });
});

describe('the id of a chunk’s job', () => {
  it('is the run and the chunk: no colon, never only digits', () => {
    expect(chunkJobId('20261121-034512-k3f9', 12)).toBe('20261121-034512-k3f9-c12');
  });

  it('tells the whole id of the run, whatever that looks like', () => {
    expect(runOfJobId(chunkJobId('run-c1', 5))).toBe('run-c1');
  });
});
