import { expect, test } from 'vitest';
import { noOutcomes, type Outcome, outcomeSchema } from '../../src/model/outcome.ts';
import { findUntruths, type SummaryPart } from './support/truth.ts';

type Line = { readonly row: string; readonly key: string; readonly outcome: Outcome; readonly id: string };

const KEYS = ['A', 'B', 'C', 'D'];
/** A, B and C were made; B's answer was lost, D's request too. */
const OUTCOMES: readonly Outcome[] = ['created', 'in-doubt', 'created', 'in-doubt'];
const LINES = KEYS.map((key, i): Line => {
  const outcome = OUTCOMES[i] ?? 'created';
  return { row: `${i + 1}`, key, outcome, id: outcome === 'created' ? `id-${i}` : '' };
});

type Lie = {
  readonly made?: readonly string[];
  readonly tell?: (lines: readonly Line[]) => readonly Line[];
  readonly summary?: Partial<SummaryPart>;
};

/** The verdict on a report that is true but for the lie. */
function judge({ made = ['A', 'B', 'C'], tell = (lines) => lines, summary = {} }: Lie) {
  const results = tell(LINES);
  const outcomes = noOutcomes();
  for (const { outcome } of results) outcomes[outcomeSchema.parse(outcome)] += 1;
  const rows = KEYS.length;
  const controlTotal = { rows, settled: results.length, pending: 0, holds: true };
  const entities = made.map((key, i) => ({ number: i, key, id: `id-${i}` }));
  const duplicates = [...new Set(made)].flatMap((key) => {
    const ids = entities.filter((entity) => entity.key === key).map(({ id }) => id);
    return ids.length > 1 ? [{ kind: 'subclient' as const, key, count: ids.length, ids }] : [];
  });
  return findUntruths({
    summary: { run: 'r1', state: 'finished', reason: null, rows, outcomes, controlTotal, ...summary },
    results,
    keys: KEYS,
    made: entities,
    duplicates,
    duplicateKeys: duplicates.length,
  });
}

const change = (row: number, over: Partial<Line>) => (lines: readonly Line[]) =>
  lines.map((line) => (line.row === `${row}` ? { ...line, ...over } : line));

test('a true report passes, and tells what became of the rows in doubt', () => {
  expect(judge({})).toEqual({ problems: [], truth: { made: 3, inDoubtMade: 1, inDoubtNotMade: 1 } });
});

test.each<[string, Lie, RegExp]>([
  [
    'a key made twice',
    { made: ['A', 'B', 'C', 'C'] },
    /1 keys were made more than once\n.*C was made 2 times/,
  ],
  ['a row that is missing', { tell: (lines) => lines.slice(0, 3) }, /row 4 \(D\) is 0 times/],
  ['a row that is there twice', { tell: (lines) => lines.concat(lines.slice(3)) }, /row 4 \(D\) is 2 times/],
  ['rows out of order', { tell: (lines) => lines.toReversed() }, /row 3 comes after row 4/],
  ['a row with the key of another', { tell: change(4, { key: 'B' }) }, /row 4 has the key B, the input D/],
  [
    'a row created that was not made',
    { tell: change(4, { outcome: 'created', id: 'none' }) },
    /row 4 \(D\) is created as "none", which was never made/,
  ],
  [
    'a row created with the identifier of another',
    { tell: change(1, { id: 'id-2' }) },
    /row 1 \(A\) is created as id-2, which has the key C/,
  ],
  [
    'a row failed that was made',
    { tell: change(2, { outcome: 'failed' }) },
    /\(B\) was made, but row 2 is failed/,
  ],
  [
    'an entity that no row asked for',
    { made: ['A', 'B', 'C', 'X'] },
    /\(X\) was made, but no row has that key/,
  ],
  ['a run that has not finished', { summary: { state: 'paused' } }, /the run is paused/],
  [
    'a summary that counts otherwise',
    { summary: { outcomes: { ...noOutcomes(), created: 4 } } },
    /the summary has 4 rows created, results.csv 2/,
  ],
  [
    'a control total that does not hold',
    { summary: { controlTotal: { rows: 4, settled: 4, pending: 0, holds: false } } },
    /the control total/,
  ],
])('%s is found and named', (_, lie, words) => {
  expect(judge(lie).problems.join('\n')).toMatch(words);
});
