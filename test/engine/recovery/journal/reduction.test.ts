import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IntendedRow, JournalRecord } from '../../../../src/engine/recovery/journal/record.ts';
import { emptyJournal, intended, intent, RUN, readAll, settled } from './sample-journal.ts';

type Step =
  | {
      readonly kind: 'intended' | 'withdrawn';
      readonly run: string;
      readonly row: number;
      readonly mark: string;
    }
  | { readonly kind: 'settled'; readonly run: string; readonly row: number; readonly what: string };

const run = fc.constantFrom('r1', 'r2');
const row = fc.integer({ min: 1, max: 4 });
const mark = fc.constantFrom('i a 1', 'i a 2', 'i b 1');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('intended', 'withdrawn'), run, row, mark }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settled'), run, row, what: fc.string() }) },
);

const chunkOf = (r: number) => (r > 2 ? 2 : 1);

function recordOf(s: Step): JournalRecord {
  const chunk = chunkOf(s.row);
  if (s.kind === 'settled') return settled(s.run, [chunk, s.row, s.what]);
  if (s.kind === 'intended') return intended(s.run, intent(chunk, s.row, s.mark));
  return { kind: s.kind, run: s.run, rows: [[chunk, s.row, s.mark]] };
}

type Word = { settled: string | null; open: IntendedRow[] };

/** Step by step over all that was ever said, as slowly as may be. */
function naive(steps: readonly Step[]) {
  const rows = new Map<string, Word>();
  for (const s of steps) {
    const key = `${s.run} ${chunkOf(s.row)} ${s.row}`;
    rows.set(key, after(rows.get(key) ?? { settled: null, open: [] }, s));
  }
  const words = [...rows];
  const open = words.flatMap(([key, w]) => w.open.slice(-1).map((last) => [key, last.mark] as const));
  const ended = words.filter(([, w]) => w.open.length === 0 && w.settled !== null);
  return { open: new Map(open), ended: new Map(ended.map(([key, w]) => [key, w.settled])) };
}

function after(word: Word, s: Step): Word {
  if (s.kind === 'settled') return { settled: s.what, open: [] };
  const others = word.open.filter(({ mark: m }) => m !== s.mark);
  const own = s.kind === 'intended' ? [intent(chunkOf(s.row), s.row, s.mark)] : [];
  return { settled: word.settled, open: [...others, ...own] };
}

test('whatever happened, the last word on each row is replayed, and the intents that are open last', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const { folder, journal, troubles } = await emptyJournal();
    for (const one of ['r1', 'r2']) await journal.write({ ...RUN, run: one });
    for (const s of steps) await journal.write(recordOf(s));
    const read = await readAll(folder, journal.worker);
    await journal.close();
    const expected = naive(steps);
    expect(new Map([...read.intended].map(([key, i]) => [key, i.mark]))).toEqual(expected.open);
    expect(new Map([...read.settled].map(([key, e]) => [key, e.outcome]))).toEqual(expected.ended);
    expect(troubles).toEqual([]);
  });
  await fc.assert(property, { numRuns: 150 });
});
