import { expect, test } from 'vitest';
import { filesBelow } from './source-files.ts';

/** The linter holds the rules that one file can break by itself (biome.json): here is what it takes the whole for. */

const SOURCES = filesBelow('src');
const STATIONS = new Set(SOURCES.map((file) => file.split('/')[0]));
/** Folders of test/ that mirror nothing. */
const OF_THEIR_OWN = ['flow', 'docs', 'faults', 'house', 'mutants', 'samples', 'scripts', 'support'];

test('the names of the sources say what is inside: no barrel, no utils', () => {
  const wordless = /(^|\/)(index|utils|helpers|types|constants|manager)\.ts$/;
  expect(SOURCES.filter((file) => wordless.test(file))).toEqual([]);
});

test('the tests mirror src, but for the folders that test the whole', () => {
  const strays = filesBelow('test').filter((file) => {
    const [folder = ''] = file.split('/');
    return !STATIONS.has(folder.replace('.test.ts', '.ts')) && !OF_THEIR_OWN.includes(folder);
  });
  expect(strays).toEqual([]);
});
