import { describe, expect, test } from 'vitest';
import { FIGURES } from './figures.ts';
import { judge } from './results.ts';
import { someResults } from './some-results.ts';
import { renderMarkdown, renderText } from './table.ts';

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

  test('without results says that nothing was measured', () => {
    const lines = renderMarkdown(null).split('\n').slice(2);
    expect(lines.filter((line) => line.includes('| not measured |'))).toHaveLength(FIGURES.length);
  });
});

describe('the table for the terminal', () => {
  const bare = judge({ figure: 'bare', values: [0.81, 0.83, 0.79], details: {} });
  const start = judge({ figure: 'start', values: [1.2], details: {} });

  test('has only what was measured, in the order of the figures', () => {
    const lines = renderText([start, bare])
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(1));
    expect(lines).toEqual([
      ['target', 'measured', 'spread', 'rounds', 'result'],
      ['≥ 0.80 ×', '0.81 ×', '0.79 × to 0.83 ×', '3', 'met'],
      ['≤ 1.00 s', '1.20 s', '1', 'not met'],
    ]);
  });

  test('has its columns one below the other', () => {
    const lines = renderText([start, bare]).split('\n');
    expect(new Set(lines.map((line) => line.search(/target|[≥≤] \d/))).size).toBe(1);
  });
});
