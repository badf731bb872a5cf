import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ROOT, textOf } from '../test/house/source-files.ts';
import { fillPage, jsonText, readResults, renderDocuments, writeData } from './documents.ts';
import { FIGURES } from './figures.ts';
import { renderPicture } from './picture.ts';
import { resultsSchema } from './results.ts';
import { someResults } from './some-results.ts';
import { renderMarkdown, renderRuns } from './table.ts';

const PAGE = textOf('docs/performance.md');
const PUBLISHED = await readResults(join(ROOT, 'docs'));

describe('docs/performance.md', () => {
  test('says what performance.json holds, or that nothing was measured', () => {
    expect(fillPage(PAGE, PUBLISHED), '`npm run bench -- --render` writes it again').toBe(PAGE);
  });

  test('would say otherwise with other results', () => {
    expect(fillPage(PAGE, someResults())).not.toBe(PAGE);
  });

  test('is the same again after other results stood there', () => {
    expect(fillPage(fillPage(PAGE, someResults()), PUBLISHED)).toBe(PAGE);
  });

  test('without its marks is refused', () => {
    expect(() => fillPage('# Performance\n', null)).toThrow('<!-- bench: measured -->');
  });
});

describe.runIf(PUBLISHED !== null)('the published results', () => {
  test('have every figure, against the targets of today', () => {
    const targets = FIGURES.map(({ id, target }) => ({ id, target }));
    expect(PUBLISHED?.figures.map(({ id, target }) => ({ id, target }))).toEqual(targets);
    expect(PUBLISHED?.quick).toBe(false);
  });

  test('are what the picture shows', () => {
    expect(PUBLISHED === null ? '' : renderPicture(PUBLISHED)).toBe(textOf('docs/performance.svg'));
  });
});

test('results are written to a folder and read again, and its page shows them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-bench-docs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'performance.md'), PAGE);
  await writeData(someResults(), folder);
  await renderDocuments(folder);
  expect(await readResults(folder)).toEqual(someResults());
  const page = await readFile(join(folder, 'performance.md'), 'utf8');
  expect(page).toContain(renderMarkdown(someResults()));
  expect(page).toContain(renderRuns(someResults()));
  expect(page).toContain(
    '2 cores (Some <Processor> & "Co"), 8 GiB, Linux 1.2.3,\next4, load 0.1 before; Node v20.0.0',
  );
  expect(await readFile(join(folder, 'performance.svg'), 'utf8')).toBe(renderPicture(someResults()));
});

test('the JSON has each list of numbers on one line', () => {
  const results = someResults();
  const text = jsonText(results);
  expect(resultsSchema.parse(JSON.parse(text))).toEqual(results);
  expect(text).toContain('"rate": [1, 2.5]');
  expect(text).not.toMatch(/\[\n\s+-?\d/);
});
