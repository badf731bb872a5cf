import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noOutcomes, type Outcome, outcomeSchema } from '../../src/model/outcome.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { assertTruth, type SummaryPart } from './support/truth.ts';

type Line = { readonly row: number; readonly key: string; readonly outcome: Outcome; readonly id: string };

const KEYS = ['A', 'B', 'C', 'D'];
/** A, B and C were made; B's answer was lost, D's request too. */
const OUTCOMES: readonly Outcome[] = ['created', 'in-doubt', 'created', 'in-doubt'];

async function sandboxWith(keys: readonly string[]): Promise<Sandbox> {
  const sandbox = await startSandbox({ tokens: ['t'] });
  onTestFinished(sandbox.close);
  for (const key of keys) {
    const body = JSON.stringify({ details: { name: key } });
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
    const answer = await fetch(`${sandbox.url}/v1/subclients`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  }
  return sandbox;
}

function linesOf(sandbox: Sandbox, keys: readonly string[], outcomes: readonly Outcome[]): Line[] {
  const ids = new Map([...sandbox.entities('subclient')].map(({ key, id }) => [key, id]));
  return keys.map((key, i) => {
    const outcome = outcomes[i] ?? 'created';
    return { row: i + 1, key, outcome, id: outcome === 'created' ? (ids.get(key) ?? '') : '' };
  });
}

async function homeWith(lines: readonly Line[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'onboard-truth-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const folder = join(home, 'reports', 'r1');
  await mkdir(folder, { recursive: true });
  const text = lines.map(({ row, key, outcome, id }) => `${row},${key},${outcome},${id}\n`).join('');
  await writeFile(join(folder, 'results.csv'), `row,key,outcome,id\n${text}`);
  return home;
}

function summaryOf(lines: readonly Line[], over: Partial<SummaryPart> = {}): SummaryPart {
  const outcomes = noOutcomes();
  for (const { outcome } of lines) outcomes[outcomeSchema.parse(outcome)] += 1;
  const settled = lines.length;
  return {
    run: 'r1',
    state: 'finished',
    reason: null,
    rows: KEYS.length,
    outcomes,
    controlTotal: { rows: KEYS.length, settled, open: 0, holds: true },
    ...over,
  };
}

type Lie = {
  readonly made?: readonly string[];
  readonly tell?: (lines: Line[]) => Line[];
  readonly summary?: Partial<SummaryPart>;
};

/** The verdict on a report that is true but for the lie. */
async function judge({ made = ['A', 'B', 'C'], tell = (lines) => lines, summary = {} }: Lie) {
  const sandbox = await sandboxWith(made);
  const lines = tell(linesOf(sandbox, KEYS, OUTCOMES));
  return assertTruth({
    sandbox,
    home: await homeWith(lines),
    summary: summaryOf(lines, summary),
    keys: KEYS,
  });
}

const change = (row: number, over: Partial<Line>) => (lines: Line[]) =>
  lines.map((line) => (line.row === row ? { ...line, ...over } : line));

test('a true report passes, and tells what became of the rows in doubt', async () => {
  expect(await judge({})).toEqual({ made: 3, inDoubtMade: 1, inDoubtNotMade: 1 });
});

test.each<[string, Lie, RegExp]>([
  [
    'a key made twice',
    { made: ['A', 'B', 'C', 'C'] },
    /1 keys were made more than once\n.*C was made 2 times/,
  ],
  ['a key in doubt made twice', { made: ['A', 'B', 'C', 'B'] }, /B was made 2 times/],
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
    'a row created without an identifier',
    { tell: change(1, { id: '' }) },
    /row 1 \(A\) is created as "", which was never made/,
  ],
  [
    'a row created with the identifier of another',
    { tell: (lines) => change(1, { id: lines[2]?.id ?? '' })(lines) },
    /row 1 \(A\) is created as \S+, which has the key C/,
  ],
  [
    'a row failed that was made',
    { tell: change(2, { outcome: 'failed' }) },
    /\(B\) was made, but row 2 is failed/,
  ],
  [
    'a row skipped that was made',
    { tell: change(3, { outcome: 'skipped' }) },
    /\(C\) was made, but row 3 is skipped/,
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
    { summary: { controlTotal: { rows: 4, settled: 4, open: 0, holds: false } } },
    /the control total/,
  ],
])('%s is found and named', async (_, lie, words) => {
  await expect(judge(lie)).rejects.toThrow(words);
});
