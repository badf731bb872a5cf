import { describe, expect, test } from 'vitest';
import { FIGURES } from './figures.ts';
import { judge } from './results.ts';
import { costOfRow, ratioSamples } from './samples.ts';
import { someResults } from './some-results.ts';
import { renderMarkdown, renderRuns, renderText } from './table.ts';

describe('the table in Markdown', () => {
  test('has a line for every figure, with its target', () => {
    const lines = renderMarkdown(someResults()).split('\n').slice(2);
    expect(lines).toHaveLength(FIGURES.length);
    for (const [index, { title }] of FIGURES.entries()) expect(lines[index]).toContain(`| ${title} | `);
    expect(lines.filter((line) => !/\| [≥≤] \d/.test(line))).toEqual([]);
  });

  test('says of every figure whether it was met', () => {
    const lines = renderMarkdown(someResults()).split('\n').slice(2);
    expect(lines.map((line) => line.endsWith('| met |'))).toEqual(FIGURES.map((_, index) => index % 2 === 0));
    expect(lines.filter((line) => !/\| (met|not met) \|$/.test(line))).toEqual([]);
  });

  test('marks what does not count, and says what the mark means', () => {
    const { figures, ...rest } = someResults();
    const busy = { ...rest, figures: figures.map((one) => ({ ...one, others: [0.06, 0.3] })) };
    const [, , ...lines] = renderMarkdown(busy).split('\n');
    const speeds = FIGURES.flatMap(({ kind }, index) => (kind === 'speed' ? [lines[index]] : []));
    expect(speeds.filter((line) => !/ † .* \| 30\.0 % \| not counted \|$/.test(line ?? ''))).toEqual([]);
    expect(lines.filter((line) => line.includes(' † '))).toHaveLength(speeds.length);
    expect(lines.slice(FIGURES.length)).toEqual(['', expect.stringMatching(/^† .*5 % of the machine/)]);
  });

  test('without results says that nothing was measured', () => {
    const lines = renderMarkdown(null).split('\n').slice(2);
    expect(lines.filter((line) => line.includes('| not measured |'))).toHaveLength(FIGURES.length);
  });
});

describe('the table for the terminal', () => {
  const bare = judge({ figure: 'bare', values: [0.81, 0.83, 0.79], others: [0.02, 0.001, 0.2], details: {} });
  const start = judge({ figure: 'start', values: [1.2], others: [], details: {} });

  test('has only what was measured, in the order of the figures', () => {
    const lines = renderText([start, bare])
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(1));
    expect(lines).toEqual([
      ['target', 'measured', 'spread', 'rounds', 'used by others', 'result'],
      ['≥ 0.55 ×', '0.82 ×', '0.81 × to 0.83 ×', '2 of 3', '2.0 %', 'met'],
      ['≤ 0.60 s', '1.20 s', '1', 'not measured', 'not met'],
    ]);
  });

  test('has its columns one below the other', () => {
    const lines = renderText([start, bare]).split('\n');
    expect(new Set(lines.map((line) => line.search(/target|[≥≤] \d/))).size).toBe(1);
  });
});

describe('the table of the runs', () => {
  const pairs = [1, 3, 2].map((n) => ({ ours: rate(100 * n, n), theirs: rate(200 * n, 2 * n) }));
  const results = (others: number) => ({
    ...someResults(),
    figures: (['bare', 'job-per-row'] as const).map((figure) =>
      judge({ ...ratioSamples(figure, pairs), others: [others, others, others] }),
    ),
  });

  function rate(rowsPerSecond: number, redis: number) {
    const spent = { micros: 1_000, partMicros: { Redis: 10 * redis }, busy: 0.9, others: 0.01 * redis };
    return { rowsPerSecond, cost: costOfRow(spent, 10) };
  }

  test('has the medians of each, those of the program between the two others', () => {
    expect(renderRuns(results(0)).split('\n').slice(2)).toEqual([
      '| bare loop | 300 | 100 µs | 96 µs | 4 µs |  | 4.0 % |',
      '| `onboard run` | 200 | 100 µs | 98 µs | 2 µs |  | 3.0 % |',
      '| one job per row | 300 | 100 µs | 96 µs | 4 µs |  | 4.0 % |',
    ]);
  });

  test('without results says that nothing was measured', () => {
    expect(renderRuns(null).split('\n').slice(2)).toHaveLength(3);
    expect(renderRuns(null).match(/\| not measured \|/g)).toHaveLength(3);
  });
});
