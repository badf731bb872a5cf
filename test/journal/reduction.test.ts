import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IntendedRow, JournalRecord } from '../../src/journal/record.ts';
import { intent, ownJournal, readAll, settled } from './sample-journal.ts';

type Step =
  | {
      readonly kind: 'intended' | 'withdrawn';
      readonly run: string;
      readonly row: number;
      readonly mark: string;
    }
  | { readonly kind: 'settled'; readonly run: string; readonly row: number; readonly what: string }
  | { readonly kind: 'forgotten'; readonly run: string };

const run = fc.constantFrom('r1', 'r2');
const row = fc.integer({ min: 1, max: 4 });
const mark = fc.constantFrom('i a 1', 'i a 2', 'i b 1');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('intended', 'withdrawn'), run, row, mark }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settled'), run, row, what: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forgotten'), run }) },
);

const chunkOf = (r: number) => (r > 2 ? 2 : 1);

function recordOf(s: Exclude<Step, { kind: 'forgotten' }>): JournalRecord {
  const chunk = chunkOf(s.row);
  if (s.kind === 'settled') return settled(s.run, [chunk, s.row, s.what]);
  if (s.kind === 'intended') return { kind: s.kind, run: s.run, rows: [intent(chunk, s.row, s.mark)] };
  return { kind: s.kind, run: s.run, rows: [[chunk, s.row, s.mark]] };
}

type Word = { settled: string | null; open: IntendedRow[] };
type Model = {
  readonly rows: Map<string, Word>;
  readonly known: Set<string>;
  readonly forgotten: Set<string>;
};

/** Step by step over all that was ever said, as slowly as may be. */
function naive(steps: readonly Step[]) {
  const model: Model = { rows: new Map(), known: new Set(), forgotten: new Set() };
  for (const s of steps) {
    if (s.kind === 'forgotten') forget(model, s.run);
    else take(model, s);
  }
  const words = [...model.rows];
  const open = words.flatMap(([key, w]) => w.open.slice(-1).map((last) => [key, last[2]] as const));
  const ended = words.filter(([, w]) => w.open.length === 0 && w.settled !== null);
  return { open: new Map(open), ended: new Map(ended.map(([key, w]) => [key, w.settled])) };
}

function forget({ rows, known, forgotten }: Model, gone: string): void {
  for (const key of [...rows.keys()]) if (key.startsWith(`${gone} `)) rows.delete(key);
  if (known.delete(gone)) forgotten.add(gone);
}

function take({ rows, known, forgotten }: Model, s: Exclude<Step, { kind: 'forgotten' }>): void {
  if (s.kind === 'intended') forgotten.delete(s.run);
  if (forgotten.has(s.run)) return;
  known.add(s.run);
  const key = `${s.run} ${chunkOf(s.row)} ${s.row}`;
  rows.set(key, after(rows.get(key) ?? { settled: null, open: [] }, s));
}

function after(word: Word, s: Exclude<Step, { kind: 'forgotten' }>): Word {
  if (s.kind === 'settled') return { settled: s.what, open: [] };
  const others = word.open.filter(([, , m]) => m !== s.mark);
  const own = s.kind === 'intended' ? [intent(chunkOf(s.row), s.row, s.mark)] : [];
  return { settled: word.settled, open: [...others, ...own] };
}

test('whatever happened, over however many segments, the last word on each row is replayed', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 40 }),
    fc.constantFrom(1, 150, 400, 100_000),
    fc.boolean(),
    async (steps, segmentBytes, closes) => {
      const { folder, journal, troubles } = await ownJournal(segmentBytes);
      for (const s of steps) {
        if (s.kind === 'forgotten') await journal.forget(s.run);
        else await journal.write(recordOf(s));
      }
      if (closes) await journal.close();
      const read = await readAll(folder, journal.worker);
      await journal.close();
      const expected = naive(steps);
      expect(new Map([...read.intended].map(([key, i]) => [key, i[2]]))).toEqual(expected.open);
      expect(new Map([...read.settled].map(([key, e]) => [key, e[2]]))).toEqual(expected.ended);
      expect(troubles).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
