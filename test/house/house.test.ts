import { describe, expect, test } from 'vitest';
import { filesBelow, textOf } from './source-files.ts';

const SOURCES = filesBelow('src');
const STATIONS = new Set(SOURCES.map((file) => file.split('/')[0]));
/** Folders of test/ that mirror nothing. */
const OF_THEIR_OWN = ['flow', 'bench', 'docs', 'faults', 'house', 'samples', 'scripts', 'support'];

const KEBAB_CASE = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.(ts|lua|json|html|css|js)$/;
const WORDLESS = /(^|\/)(index|utils|helpers|types|constants|manager)\.ts$/;

describe('the names of the sources', () => {
  test('are kebab-case', () => {
    expect(SOURCES.filter((file) => !KEBAB_CASE.test(file))).toEqual([]);
  });

  test('say what is inside: no barrel, no utils', () => {
    expect(SOURCES.filter((file) => WORDLESS.test(file))).toEqual([]);
  });

  test.each([['intake/readChunks.ts'], ['intake/read_chunks.ts'], ['Intake/read.ts'], ['intake/read-.ts']])(
    '%s is no kebab-case',
    (file) => {
      expect(KEBAB_CASE.test(file)).toBe(false);
    },
  );
});

describe('the sources', () => {
  test('write to a stream or a log, never to the console', () => {
    expect(SOURCES.filter((file) => /\bconsole\./.test(textOf(`src/${file}`)))).toEqual([]);
  });

  test('export names, no defaults', () => {
    expect(SOURCES.filter((file) => /^export default\b/m.test(textOf(`src/${file}`)))).toEqual([]);
  });
});

describe('the tests', () => {
  test('mirror src, but for the folders that test the whole', () => {
    const strays = filesBelow('test').filter((file) => {
      const [folder = ''] = file.split('/');
      const isOfSrc = STATIONS.has(folder) || file === 'session.test.ts';
      return !isOfSrc && !OF_THEIR_OWN.includes(folder);
    });
    expect(strays).toEqual([]);
  });

  test('run all: none is left out, and none alone', () => {
    const marks = /\b(?:test|it|describe)\.(?:only|skip|todo)\b/;
    expect(filesBelow('test').filter((file) => marks.test(textOf(`test/${file}`)))).toEqual([]);
  });
});
