import { spawnSync } from 'node:child_process';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { CALLS, OPERATIONS } from '../../src/operations/operations.ts';
import { filesBelow, ROOT, textOf } from './source-files.ts';

/** The linter holds the rules that one file can break by itself (biome.json): here is what it takes the whole for. */

const SOURCES = filesBelow('src');
const STATIONS = new Set(SOURCES.map((file) => file.split('/')[0]));
/** Folders of test/ that mirror nothing. */
const OF_THEIR_OWN = [
  'browser',
  'flow',
  'docs',
  'faults',
  'house',
  'mutants',
  'samples',
  'scripts',
  'support',
];

test('the names of the sources say what is inside: no barrel, no utils', () => {
  const wordless = /(^|\/)(index|utils|helpers|types|constants|manager)\.tsx?$/;
  expect(SOURCES.filter((file) => wordless.test(file))).toEqual([]);
});

test('what an operation does is asked of operations/: nobody else has its name', () => {
  const names = new RegExp(`['"\`](?:${[...OPERATIONS, ...CALLS].join('|')})['"\`]`);
  const sources = SOURCES.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('operations/'));
  expect(sources.filter((file) => names.test(textOf(`src/${file}`)))).toEqual([]);
});

test('the tests mirror src, but for the folders that test the whole', () => {
  const strays = filesBelow('test').filter((file) => {
    const [folder = ''] = file.split('/');
    return !STATIONS.has(folder.replace('.test.ts', '.ts')) && !OF_THEIR_OWN.includes(folder);
  });
  expect(strays).toEqual([]);
});

test('no command that is shown has a placeholder in signs that a shell takes for a redirection', () => {
  const shown = SOURCES.flatMap((file) => textOf(`src/${file}`).split('\n'))
    .filter((line) => !/^ *(\*|\/[*/])/.test(line))
    // Flags are declared so.
    .map((line) => line.replace(/'--[a-z-]+ <[a-z]+>'/, ''));
  expect(shown.filter((line) => /(\bonboard |--)[a-z-][^'"<]*<[a-z.]+>/.test(line))).toEqual([]);
});

/** They hand on what came through lib/terminal.ts. */
const HAND_ON = ['runs/inbox/watcher.ts'];

test('text leaves for the terminal through lib/terminal.ts alone, and each line of it by itself', () => {
  const texts = SOURCES.map((file) => [file, textOf(`src/${file}`)] as const);
  const raw = texts
    .filter(([, text]) => /\bstd(?:out|err)\.write\(|console\./.test(text))
    .map(([file]) => file);
  expect(raw.filter((file) => !HAND_ON.includes(file))).toEqual(['lib/terminal.ts']);
  const joined = texts.filter(([, text]) => /\b(?:say|tell|line)\([^;]*?\\n[\w $]/.test(text));
  expect(joined.map(([file]) => file)).toEqual([]);
});

/** They test Redis itself, or stand for a program that is not this one; or keep all keys of a model as they are. */
const WRITE_THEMSELVES =
  /^(?:support|engine\/redis)\/|^(?:session\.test\.ts|faults\/(?:torn-log\.test\.ts|support\/naive-worker\.mjs|model\/keyspace\.ts))$/;

test('what a test changes in Redis behind the program has a name in support/stored.ts', () => {
  const ofRedis =
    /\bredis\s*\.(?:set|del|eval|rename|expire|restore|incr|getset|setex|psetex|unlink|copy|move|multi|pipeline)\(/;
  const ofNoOther =
    /\.(?:h(?:set|del|setnx|incrby)|z(?:add|rem|incrby)|s(?:rem|add)|[lr](?:push|pop)|l(?:set|trim|rem)|x(?:add|trim|del)|pexpire(?:at)?|persist)\(/;
  const writing = filesBelow('test').filter((file) => {
    if (WRITE_THEMSELVES.test(file) || !/\.(?:ts|mjs)$/.test(file)) return false;
    const text = textOf(`test/${file}`);
    return ofRedis.test(text) || ofNoOther.test(text);
  });
  expect(writing).toEqual([]);
});

test('the top of src/ is five rooms and what stands beside them', () => {
  expect(STATIONS.size).toBeLessThanOrEqual(12);
});

test('what an epoch is, recovery and the scripts know: nobody else has to', () => {
  const others = SOURCES.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('engine/'));
  expect(others.filter((file) => /\bepochs?\b/i.test(textOf(`src/${file}`)))).toEqual([]);
});

/** Longer ones hold more than one idea. */
const LONGEST_FUNCTION = 80;

test('no function is longer than a reader takes in at once', () => {
  const long = SOURCES.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts')).flatMap((file) => {
    const text = textOf(`src/${file}`);
    const lines = (start: number, end: number) => text.slice(start, end).split('\n').length;
    return functionsIn(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
      .filter(({ start, end }) => lines(start, end) > LONGEST_FUNCTION)
      .map(({ start }) => `${file}:${lines(0, start)}`);
  });
  expect(long).toEqual([]);
});

type Span = { readonly start: number; readonly end: number };

/** Of a syntax tree, however deep. */
function functionsIn(node: unknown): readonly Span[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(functionsIn);
  return isFunction(node) ? [node, ...inner] : inner;
}

function isFunction(node: object): node is Span {
  return 'type' in node && /Function/.test(String(node.type)) && 'body' in node && node.body !== null;
}

test('every mutant has its text in the sources, and tests that are to see it', () => {
  const { status, stdout } = spawnSync(process.execPath, ['test/mutants/run.mjs', '--list'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const lost = stdout.split('\n').filter((line) => line !== '' && !line.includes('  src/'));
  expect(lost).toEqual([]);
  expect(status).toBe(0);
});
